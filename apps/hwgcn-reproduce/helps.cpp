#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/parameter.hpp"
#include "dataset/synthetic_parameters.hpp"
#include "experiment.hpp"
#include "report/heat_map.hpp"
#include "report/markdown.hpp"

namespace hwgcn::experiments {
namespace {

constexpr int usual_graphs = 8;
constexpr int splits_of_a_graph = 2;
constexpr double full_color = 10;  // the same in all maps, which can be compared

const std::string labels_per_class = "labels";

// One side of a map: a setting of the synthetic graph, or the number of labels per class.
struct Axis {
    std::string setting;
    std::string title;
    std::vector<std::string> values;
};

// What a method on the learned operator gains over its control on the plain graph, over two axes.
struct GainMap {
    std::string name;    // of its figure
    std::string family;  // of graphs, as --dataset has it
    std::string method;
    std::string title;
    Axis x;
    Axis y;
    std::string labels;  // where no axis has them
};

const std::vector<GainMap>& all_maps() {
    static const Axis degrees{"mean_degree", "mean degree", {"2", "3", "4", "6", "10", "16"}};
    static const Axis homophily{"homophily", "homophily", {"0.9", "0.8", "0.65", "0.5", "0.3"}};
    static const Axis labels{labels_per_class, "training labels per class", {"2", "5", "10", "20", "40"}};
    static const std::vector<GainMap> maps = {
        {"helps-degree-5", "degree", "hwgcn", "5 labels per class", degrees, homophily, "5"},
        {"helps-degree-20", "degree", "hwgcn", "20 labels per class", degrees, homophily, "20"},
        {"helps-words",
         "words",
         "hwgcn",
         "words per node",
         labels,
         {"words", "words per node", {"80", "40", "20", "10", "5"}},
         ""},
        {"helps-topics",
         "topics",
         "hwgcn",
         "share of topic words",
         labels,
         {"topic_share", "share of the words from the topic", {"0.6", "0.4", "0.3", "0.2", "0.1", "0"}},
         ""},
        {"helps-hwgpr",
         "degree",
         "hwgpr",
         "labels and degree",
         {"mean_degree", "mean degree", {"2", "4", "8"}},
         {labels_per_class, "training labels per class", {"5", "20"}},
         ""},
    };
    return maps;
}

// All that a map does not vary: about as hard as Cora is.
SyntheticOptions usual_graph() {
    SyntheticOptions options;
    options.classes = 7;
    options.homophily = 0.8;
    options.mean_degree = 4;
    options.vocabulary = 1400;
    options.words = 20;
    options.topic_share = 0.4;
    return options;
}

SyntheticOptions graph_with(const std::vector<Setting>& settings, std::uint64_t seed) {
    SyntheticOptions options = usual_graph();
    options.seed = seed;
    for (const Setting& setting : settings) {
        const auto& table = synthetic_parameters();
        std::ranges::find(table, setting.name, &Parameter<SyntheticOptions>::name)
            ->set(options, setting.text);
    }
    return options;
}

// "homophily=0.8,mean_degree=4"
std::string graph_name(const std::vector<Setting>& settings) {
    std::string name;
    for (const Setting& setting : settings)
        name += fmt::format("{}{}={}", name.empty() ? "" : ",", setting.name, setting.text);
    return name;
}

// The graphs and the labels of a cell.
struct Place {
    std::vector<Setting> graph;
    std::string labels;
};

Place place_of(const GainMap& map, std::size_t row, std::size_t column) {
    Place place{{}, map.labels};
    const auto take = [&](const Axis& axis, std::size_t at) {
        if (axis.setting == labels_per_class) {
            place.labels = axis.values[at];
        } else {
            place.graph.push_back({axis.setting, axis.values[at]});
        }
    };
    take(map.y, row);
    take(map.x, column);
    return place;
}

// What is measured on graphs of one kind: with each number of labels, on the same operators.
struct Job {
    std::string method;
    std::vector<Setting> graph;
    std::vector<std::string> labels;
};

std::vector<Job> jobs_of(const std::vector<GainMap>& maps) {
    std::vector<Job> jobs;
    const auto add = [&](const std::string& method, const Place& place) {
        auto job = std::ranges::find_if(
            jobs, [&](const Job& each) { return each.method == method && each.graph == place.graph; });
        if (job == jobs.end()) job = jobs.insert(jobs.end(), Job{method, place.graph, {}});
        if (std::ranges::find(job->labels, place.labels) == job->labels.end())
            job->labels.push_back(place.labels);
    };
    for (const GainMap& map : maps) {
        for (std::size_t row = 0; row < map.y.values.size(); ++row) {
            for (std::size_t column = 0; column < map.x.values.size(); ++column)
                add(map.method, place_of(map, row, column));
        }
    }
    return jobs;
}

// In percent, one number per graph: the mean over its splits.
struct Accuracies {
    std::vector<double> learned;
    std::vector<double> plain;
};

// By method, graph and labels.
using Measurements = std::map<std::vector<std::string>, Accuracies>;

std::vector<std::string> key_of(const std::string& method, const std::vector<Setting>& graph,
                                const std::string& labels) {
    return {method, graph_name(graph), labels};
}

// The method, and its control on the plain graph. Four orders, as on all graphs that are not in the paper.
std::vector<AskedMethod> learned_and_plain(const Plan& plan, const std::string& method) {
    std::vector<AskedMethod> methods = {asked_method(method, "synthetic"),
                                        asked_method(method == "hwgcn" ? "gcn" : method, "synthetic")};
    apply_settings(methods[0], {{"order", "4"}});
    if (method != "hwgcn") apply_settings(methods[1], {{"operator", "plain"}});
    for (AskedMethod& each : methods)
        apply_readable(each, plan.changes);
    return methods;
}

int graphs_of(const Plan& plan) {
    return plan.runs > 0 ? plan.runs : usual_graphs;
}

// Every run has a graph of its own, and a graph has splits of its own, whatever the first seed is.
void measure_job(ExperimentRunner& runner, const Plan& plan, const Job& job, Measurements& measured) {
    const int graphs = graphs_of(plan);
    const std::vector<AskedMethod> methods = learned_and_plain(plan, job.method);
    for (int run = 0; run < graphs; ++run) {
        const std::uint64_t seed = plan.first_seed + static_cast<std::uint64_t>(run);
        const std::string name = fmt::format("{},seed={}", graph_name(job.graph), seed);
        runner.use(name, make_synthetic(graph_with(job.graph, seed)));
        for (const std::string& labels : job.labels) {
            const std::vector<MethodResult> results =
                runner.run(name, methods, "random:" + labels, splits_of_a_graph, seed * splits_of_a_graph);
            Accuracies& accuracies = measured[key_of(job.method, job.graph, labels)];
            accuracies.learned.push_back(results[0].accuracy().mean);
            accuracies.plain.push_back(results[1].accuracy().mean);
        }
    }
}

std::string control_of(const std::string& method) {
    return method == "hwgcn" ? "gcn" : method + ", plain graph";
}

std::vector<ResultCell> accuracy_cells(const std::vector<Job>& jobs, const Measurements& measured) {
    std::vector<ResultCell> cells;
    for (const Job& job : jobs) {
        for (const std::string& labels : job.labels) {
            const Accuracies& accuracies = measured.at(key_of(job.method, job.graph, labels));
            for (const bool learned : {true, false}) {
                const SampleSummary summary = summarize(learned ? accuracies.learned : accuracies.plain);
                cells.push_back({graph_name(job.graph), learned ? job.method : control_of(job.method),
                                 "random:" + labels, summary.mean, summary.std, summary.count});
            }
        }
    }
    return cells;
}

HeatMap heat_map(const GainMap& map, const Measurements& measured) {
    HeatMap heat{fmt::format("{}: {}, gain over {}", method_title(map.method), map.title,
                             map.method == "hwgcn" ? "GCN" : "the plain graph"),
                 map.x.title,
                 map.y.title,
                 map.x.values,
                 map.y.values,
                 {},
                 full_color};
    for (std::size_t row = 0; row < map.y.values.size(); ++row) {
        heat.cells.emplace_back();
        for (std::size_t column = 0; column < map.x.values.size(); ++column) {
            const Place place = place_of(map, row, column);
            const Accuracies& accuracies = measured.at(key_of(map.method, place.graph, place.labels));
            const PairedComparison gain = compare_paired(accuracies.learned, accuracies.plain);
            heat.cells.back().push_back(HeatCell{gain.mean_difference, gain.ci95});
        }
    }
    return heat;
}

std::string gains_text(const HeatMap& heat) {
    MarkdownTable table{{{fmt::format("{} ↓ {} →", heat.y_label, heat.x_label)}}, {}};
    for (const std::string& column : heat.columns)
        table.columns.push_back({column, true});
    for (std::size_t row = 0; row < heat.rows.size(); ++row) {
        std::vector<std::string> line = {heat.rows[row]};
        for (const std::optional<HeatCell>& cell : heat.cells[row]) {
            const double rounded = std::round(10 * cell->value) / 10 + 0.0;  // -0.0 + 0.0 is +0.0
            std::string text = fmt::format("{:+.1f}", rounded);
            if (cell->half_interval > 0) text += fmt::format(" ± {:.1f}", cell->half_interval);
            line.push_back(is_uncertain(*cell) ? "(" + text + ")" : text);
        }
        table.rows.push_back(std::move(line));
    }
    return markdown_heading(3, heat.title) + markdown_text(table);
}

std::string heading_text(int graphs) {
    const std::string what = "Points of test accuracy on the learned operator against the plain graph";
    if (graphs == 1)
        return fmt::format("{}, on one graph of 2,000 nodes, {} splits.\n", what, splits_of_a_graph);
    return fmt::format(
        "{}, with Student's 95 % interval over {} graphs of 2,000 nodes, {} splits each; in brackets: the "
        "interval contains 0.\n",
        what, graphs, splits_of_a_graph);
}

std::vector<GainMap> chosen_maps(const Plan& plan) {
    std::vector<GainMap> chosen;
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
        return std::ranges::find(names, name) != names.end();
    };
    for (const GainMap& map : all_maps()) {
        if (has(plan.datasets, map.family) && (plan.methods.empty() || has(plan.methods, map.method)))
            chosen.push_back(map);
    }
    if (chosen.empty())
        throw InputError("--method: expected hwgcn, or with --dataset degree also hwgpr, for these maps");
    return chosen;
}

Outcome run_where_it_helps(ExperimentRunner& runner, const Plan& plan) {
    const std::vector<GainMap> maps = chosen_maps(plan);
    const std::vector<Job> jobs = jobs_of(maps);
    Measurements measured;
    for (const Job& job : jobs)
        measure_job(runner, plan, job, measured);
    Outcome outcome;
    outcome.cells = accuracy_cells(jobs, measured);
    outcome.text = heading_text(graphs_of(plan));
    for (const GainMap& map : maps) {
        const HeatMap heat = heat_map(map, measured);
        outcome.text += "\n" + gains_text(heat);
        outcome.figures.push_back({map.name, heat_map_svg(heat)});
    }
    return outcome;
}

}  // namespace

Experiment where_it_helps() {
    Experiment experiment{"helps", "Where learned weights help: synthetic graphs", run_where_it_helps};
    experiment.varied = {"operator"};
    experiment.datasets = {"degree", "words", "topics"};
    experiment.methods = {"hwgcn", "gcn", "hwgpr"};
    experiment.published = false;
    return experiment;
}

}  // namespace hwgcn::experiments
