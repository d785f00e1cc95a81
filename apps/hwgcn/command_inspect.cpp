#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "dataset/table_column.hpp"
#include "graph/summary.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/warnings.hpp"
#include "preflight.hpp"
#include "tables.hpp"
#include "usage.hpp"
#include "weights/estimate.hpp"
#include "weights/weight_outlook.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn::cli {
namespace {

struct InspectOptions {
    CommonOptions common;
    DatasetOptions dataset;
    WeightOptions weights;
};

/// All that is found out about a dataset.
struct Inspection {
    const Dataset& dataset;
    const FeatureScaling& scaling;
    const Graph& graph;
    const WeightOptions& options;
    GraphSummary summary;
    std::vector<std::int64_t> class_sizes;
    std::int64_t labelled = 0;
    std::int64_t zero_rows = 0;  ///< nodes without features
    Preflight preflight;
    GraphTraits traits = {};
    WeightOutlook outlook = {};
};

void count_nodes(Inspection& found) {
    const Dataset& dataset = found.dataset;
    found.class_sizes.assign(dataset.class_names.size(), 0);
    for (Index node = 0; node < dataset.nodes; ++node) {
        if (dataset.labels[node] == unlabelled) continue;
        ++found.labelled;
        ++found.class_sizes[dataset.labels[node]];
    }
}

/// In the units of the data.
struct WeightRange {
    double least = 1;
    double mean = 1;
    double largest = 1;
};

WeightRange weight_range(const Graph& graph) {
    if (!graph.weighted() || graph.all_weights().empty()) return {};
    const auto [least, largest] = std::ranges::minmax(graph.all_weights());
    const double unit = graph.weight_unit();
    return {unit * static_cast<double>(least), unit, unit * static_cast<double>(largest)};
}

double share_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::string and_more(std::size_t rest) {
    return rest > 0 ? fmt::format("  and {} more\n", rest) : "";
}

std::string overview_text(const Inspection& found) {
    const Dataset& dataset = found.dataset;
    const GraphSummary& graph = found.summary;
    std::string text =
        fmt::format("{}  ({})\n", heading(printable(dataset.name)), printable(dataset.source, 80));
    const auto line = [&](std::string_view name, const std::string& value, const std::string& remark = "") {
        text += fmt::format("  {:<16}{:>12}{}{}\n", name, value, remark.empty() ? "" : "   ", remark);
    };
    line("nodes", grouped(dataset.nodes));
    line("edges", grouped(found.graph.edges()),
         fmt::format("mean degree {:.2f}, largest {}", graph.mean_degree, grouped(graph.largest_degree)));
    line("self loops", grouped(found.graph.self_loops()));
    if (found.graph.weighted()) {
        const WeightRange range = weight_range(found.graph);
        line("edge weights", fmt::format("{:.4g}", range.mean),
             fmt::format("on average, from {:.4g} to {:.4g}", range.least, range.largest));
    }
    if (dataset.directed) line("directions", "kept", "edges lead from their first node to their second");
    line("components", grouped(graph.components),
         fmt::format("the largest has {}", counted(graph.largest_component, "node")));
    line("isolated nodes", grouped(graph.isolated));
    line("features", grouped(dataset.features.columns),
         fmt::format("{:.1f} per node", share_of(dataset.features.entries(), dataset.nodes)));
    if (!found.scaling.description.empty())
        text += fmt::format("  {:<31}{}\n", "", found.scaling.description);
    line("labelled nodes", grouped(found.labelled),
         dataset.classes() == 1 ? "1 class" : fmt::format("{} classes", grouped(dataset.classes())));
    line("homophily", std::isnan(graph.homophily) ? "-" : fmt::format("{:.3f}", graph.homophily),
         fmt::format("share of the {}{} between labelled nodes that stay within a class",
                     found.graph.weighted() ? "weight of the " : "", counted(graph.labelled_edges, "edge")));
    return text;
}

// What became of the columns of a node table.
std::string columns_text(const Inspection& found) {
    constexpr std::size_t most_rows = 40;
    const std::span<const TableColumn> columns = node_table_columns(found.dataset);
    if (columns.empty()) return "";
    Table table({{"column", Align::left}, {"what it became", Align::left}});
    const std::size_t shown = std::min(most_rows, columns.size());
    for (const TableColumn& column : columns.first(shown))
        table.add({printable(column.name, 40), printable(describe(column))});
    return "\n" + table.text() + and_more(columns.size() - shown);
}

std::string classes_text(const Inspection& found) {
    constexpr std::size_t most_rows = 25;
    if (found.class_sizes.empty()) return "";
    Table table({{"class", Align::left}, {"nodes"}, {"share"}});
    const std::size_t shown = std::min(most_rows, found.class_sizes.size());
    for (std::size_t label = 0; label < shown; ++label) {
        table.add({printable(found.dataset.class_names[label], 40), grouped(found.class_sizes[label]),
                   fmt::format("{:.1f} %", 100 * share_of(found.class_sizes[label], found.labelled))});
    }
    return "\n" + table.text() + and_more(found.class_sizes.size() - shown);
}

std::string rings_text(const Inspection& found) {
    const Preflight& preflight = found.preflight;
    if (preflight.rings.empty()) return "";
    Table table({{"order"}, {"ring pairs"}, {"mean ring"}, {"largest"}, {"nodes with a ring"}});
    for (const auto& [ring, searched] : preflight.rings) {
        const auto number = searched < found.dataset.nodes ? roughly : grouped;
        table.add({fmt::to_string(ring.order), number(ring.pairs),
                   mean_text(share_of(ring.pairs, found.dataset.nodes)), grouped(ring.largest),
                   number(ring.non_empty)});
    }
    std::string text = "\n" + table.text();
    if (preflight.sampled) {
        text += fmt::format(
            "  scaled up from samples, of {} nodes for order {}; the true largest may be larger\n",
            grouped(preflight.rings.back().searched_nodes), found.options.order);
    }
    return text;
}

std::string estimate_text(const Inspection& found, int threads) {
    const Preflight& preflight = found.preflight;
    if (!preflight.estimate) return "";
    const CostEstimate& estimate = *preflight.estimate;
    return fmt::format("\n  estimate for order{} on {}: {}, {}, {} weights\n",
                       found.options.order == 2 ? " 2" : fmt::format("s 2..{}", found.options.order),
                       counted(threads, "thread"), duration_text(estimate.seconds),
                       memory_text(estimate.peak_mb), roughly(estimate.support));
}

// Weights do not depend on the classes, but training does.
std::string training_text(const Inspection& found) {
    constexpr double worth_telling = 100;
    const double megabytes = target_megabytes(found.dataset.nodes, found.dataset.classes());
    if (megabytes < worth_telling) return "";
    return fmt::format("  training on {} classes: about {} more\n", grouped(found.dataset.classes()),
                       memory_text(megabytes));
}

// Where the graph stands among those on which gains were measured.
std::string outlook_text(const Inspection& found) {
    const Outlook outlook = found.outlook.outlook;
    return fmt::format(
        "  learned weights: {} ({}); see docs/when-it-helps.md\n",
        outlook == Outlook::unknown ? "help not known" : fmt::format("{} to help", name_of(outlook)),
        found.outlook.reason);
}

// Advice where rings explode, or where learning would take long for another reason.
std::string cost_hint(const Inspection& found) {
    constexpr double huge_ring = 10'000;
    constexpr double long_seconds = 600;
    if (found.options.max_ring > 0 || found.options.sample_ring > 0) return "";
    const std::string_view advice =
        "use a smaller --order, or --max-ring 1000 to let only the nearest carry weight";
    for (const auto& [ring, searched] : found.preflight.rings) {
        const double mean = share_of(ring.pairs, found.dataset.nodes);
        if (mean < huge_ring) continue;
        return fmt::format("rings explode: at order {} a ring has {} members on average; {}", ring.order,
                           roughly(std::llround(mean)), advice);
    }
    const bool is_long = found.preflight.estimate && found.preflight.estimate->seconds > long_seconds;
    return is_long ? fmt::format("this will take long; {}", advice) : "";
}

// What a person with this dataset should know before going on.
std::vector<std::string> hints(const Inspection& found) {
    std::vector<std::string> hints;
    if (found.dataset.features.columns == 0) {
        hints.push_back(
            "no features: numbers from the graph take their place in training (degrees, clustering, returns "
            "of short walks), unless --structural-features off; DeepWalk and LP need none");
    } else if (found.zero_rows > 0) {
        hints.push_back(fmt::format("{} without any feature: such a node is of no use to others",
                                    counted(found.zero_rows, "node")));
    }
    for (const std::string& warning : warnings_about_features(found.dataset.features))
        hints.push_back(in_options(warning));
    if (found.preflight.estimate && found.preflight.estimate->support == 0 &&
        !found.preflight.rings.empty()) {
        hints.push_back("nothing to learn: the nodes share no feature with the members of their rings");
    }
    if (found.summary.isolated > 0) {
        hints.push_back(fmt::format("{} without neighbors: predicted from the node's own features only",
                                    counted(found.summary.isolated, "node")));
    }
    if (found.summary.homophily < 0.5) {  // false for NaN
        hints.push_back(
            fmt::format("low homophily: only {:.0f} % of the edges stay within a class, so neighbors "
                        "may mislead; compare with a method that ignores the graph",
                        100 * found.summary.homophily));
    }
    if (const std::string objection = objection_to_target(found.dataset, {}); !objection.empty())
        hints.push_back(fmt::format("train and evaluate refuse these labels: {}", objection));
    if (found.labelled == 0) hints.push_back("no labels: weights can be learned, but nothing can be trained");
    if (const std::string hint = cost_hint(found); !hint.empty()) hints.push_back(hint);
    return hints;
}

Json rings_json(const Inspection& found) {
    Json rings = Json::array();
    for (const auto& [ring, searched] : found.preflight.rings) {
        rings.push_back({{"order", ring.order},
                         {"pairs", ring.pairs},
                         {"largest", ring.largest},
                         {"mean", share_of(ring.pairs, found.dataset.nodes)},
                         {"non_empty", ring.non_empty},
                         {"searched_nodes", searched}});
    }
    return rings;
}

Json outlook_json(const Inspection& found) {
    const int most = found.outlook.most_labels_per_class;
    const double labels = found.traits.labels_per_class;
    return {{"outlook", name_of(found.outlook.outlook)},
            {"reason", found.outlook.reason},
            {"labels_per_class", labels > 0 ? Json(labels) : Json()},
            {"most_labels_per_class", most > 0 ? Json(most) : Json()}};
}

Json to_json(const Inspection& found, const std::vector<std::string>& hints) {
    const GraphSummary& graph = found.summary;
    const Preflight& preflight = found.preflight;
    Json columns = Json::array();
    for (const TableColumn& column : node_table_columns(found.dataset))
        columns.push_back({{"name", column.name}, {"use", describe(column)}});
    Json classes = Json::array();
    for (std::size_t label = 0; label < found.class_sizes.size(); ++label)
        classes.push_back({{"name", found.dataset.class_names[label]}, {"nodes", found.class_sizes[label]}});
    Json estimate = {{"seconds", nullptr}, {"peak_mb", nullptr}};
    if (preflight.estimate) {
        estimate = {{"seconds", preflight.estimate->seconds},
                    {"peak_mb", preflight.estimate->peak_mb},
                    {"support", preflight.estimate->support}};
    }
    const WeightRange weights = weight_range(found.graph);
    estimate["training_mb"] = target_megabytes(found.dataset.nodes, found.dataset.classes());
    return {{"dataset", found.dataset.name},
            {"source", found.dataset.source},
            {"nodes", found.dataset.nodes},
            {"edges", found.graph.edges()},
            {"self_loops", found.graph.self_loops()},
            {"weighted", found.graph.weighted()},
            {"edge_weights", {{"min", weights.least}, {"mean", weights.mean}, {"max", weights.largest}}},
            {"directed", found.dataset.directed},
            {"mean_degree", graph.mean_degree},
            {"largest_degree", graph.largest_degree},
            {"features", found.dataset.features.columns},
            {"scaling", found.scaling.description},
            {"scale", name_of(found.scaling.scale)},
            {"feature_entries", found.dataset.features.entries()},
            {"nodes_without_features", found.zero_rows},
            {"classes", found.dataset.classes()},
            {"class_sizes", classes},
            {"columns", columns},
            {"labelled", found.labelled},
            {"components", graph.components},
            {"largest_component", graph.largest_component},
            {"isolated", graph.isolated},
            {"homophily", graph.homophily},
            {"sampled", preflight.sampled},
            {"rings", rings_json(found)},
            {"estimate", estimate},
            {"learned_weights", outlook_json(found)},
            {"hints", hints},
            {"notes", found.dataset.notes}};
}

int run_inspect(const InspectOptions& options) {
    validate_options(options.weights);
    check_outputs({json_output(options.common)}, input_files(options.dataset, options.common));
    const CommandExecution run(options.common);
    Dataset dataset = load(options.dataset, options.common, run.control());
    const Graph graph = graph_of(dataset);
    std::int64_t zero_rows = 0;  // a row of average numbers, which scaling makes 0, is none
    for (Index node = 0; node < dataset.nodes; ++node)
        zero_rows += dataset.features.row(node).size() == 0 ? 1 : 0;
    const FeatureScaling scaling = scale_features(dataset);
    tell_scaling(scaling, dataset, options.common, dataset.notes);
    Inspection found{
        dataset, scaling,   graph, options.weights, summarize_graph(graph, dataset.labels, run.control()), {},
        0,       zero_rows, {}};
    count_nodes(found);
    found.traits = traits_of(dataset, scaling, graph, found.summary);
    found.outlook = weight_outlook(found.traits);
    throw_if_stopped();
    found.preflight = preflight(graph, dataset.features, options.weights, run);

    const std::vector<std::string> advice = hints(found);
    std::string text = overview_text(found) + columns_text(found) + classes_text(found) + rings_text(found) +
                       estimate_text(found, thread_count(run.control())) + training_text(found) +
                       outlook_text(found);
    if (!advice.empty()) text += '\n';
    for (const std::string& hint : advice)
        text += bullet(hint);
    deliver(text, to_json(found, advice), options.common.json);
    return exit_status::success;
}

}  // namespace

void add_inspect_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<InspectOptions>();
    CLI::App& command = add_command(
        program, "inspect", "Show what a dataset holds and estimate the cost of learning its weights.",
        "  hwgcn inspect cora --order 6\n"
        "  hwgcn inspect --edges links.csv --nodes papers.csv --label topic");
    add_dataset_options(command, options->dataset);
    add_parameter_options(command, weight_parameters(), options->weights,
                          {"order", "neighborhood", "weighting", "max_ring", "sample_ring", "min_weight"});
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_inspect(*options); }});
}

}  // namespace hwgcn::cli
