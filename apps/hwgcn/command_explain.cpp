#include <algorithm>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/explanation/explain.hpp"
#include "hwgcn/explanation/feature_importance.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "explanation/importance_parameters.hpp"
#include "method_options.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "run_dataset.hpp"
#include "runs/result_json.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct ExplainOptions {
    CommonOptions common;
    std::filesystem::path run;
    std::vector<std::string> nodes;
    int top = 10;
    bool importances = false;
    ImportanceOptions permutations;
    DatasetOptions dataset;  ///< where the data are now
    CacheOptions cache;
    AdditionOptions additions;
};

const std::vector<Parameter<ExplainOptions>>& explain_parameters() {
    static const std::vector<Parameter<ExplainOptions>> table = {
        number_parameter("top", &ExplainOptions::top, Range<int>{1, 1'000'000}, "N",
                         "nodes, features and columns to show, those with the largest contributions"),
    };
    return table;
}

std::vector<Index> nodes_of(const std::vector<std::string>& ids, const Dataset& dataset) {
    std::unordered_map<std::string, Index> numbers;
    std::vector<std::string> names;
    for (Index node = 0; node < dataset.nodes; ++node) {
        names.push_back(node_id(dataset, node));
        numbers.emplace(names.back(), node);
    }
    std::vector<Index> nodes;
    for (const std::string& id : ids) {
        const auto found = numbers.find(id);
        if (found == numbers.end()) {
            const std::string nearest = nearest_name(id, names);
            throw InputError(
                fmt::format("--node: '{}' is none of the {} node ids{}", printable(id), names.size(),
                            nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest)));
        }
        nodes.push_back(found->second);
    }
    return nodes;
}

/// The label of a node as a person may see it: nothing where there is none.
std::string label_of(const Dataset& dataset, Index node) {
    return dataset.labels[node] == unlabelled ? "" : dataset.class_names[dataset.labels[node]];
}

std::string distance_name(int distance) {
    return distance < 0    ? "in no way connected"
           : distance == 0 ? "the node itself"
           : distance == 1 ? "neighbors"
                           : fmt::format("distance {}", distance);
}

std::string path_text(const std::vector<Index>& path, const Dataset& dataset) {
    std::string text;
    for (const Index node : path)
        text += (text.empty() ? "" : " - ") + printable(node_id(dataset, node), 20);
    return text;
}

std::string distances_text(const Explanation& explanation) {
    Table table({{"source", Align::left}, {"nodes"}, {"contribution"}, {"share %"}});
    for (const DistanceShare& sum : explanation.by_distance) {
        table.add({distance_name(sum.distance), grouped(sum.nodes), fmt::format("{:+.3f}", sum.contribution),
                   fmt::format("{:+.1f}", 100.0 * sum.share)});
    }
    if (explanation.offset != 0)
        table.add({"the same for all nodes", "", fmt::format("{:+.3f}", explanation.offset), ""});
    if (explanation.kind == ExplanationKind::gradient || explanation.kind == ExplanationKind::average)
        table.add({"rest: bias, not linear", "", fmt::format("{:+.3f}", explanation.rest), ""});
    table.add({"margin", "", fmt::format("{:+.3f}", explanation.margin), ""});
    return table.text();
}

std::string and_more(std::size_t count, std::size_t top, std::string_view noun) {
    if (count <= top) return "";
    return fmt::format("  and {} with less (--top)\n", counted(static_cast<std::int64_t>(count - top), noun));
}

std::string neighbors_text(const Explanation& explanation, const Dataset& dataset, std::size_t top) {
    const bool weighted = explanation.kind == ExplanationKind::exact;
    std::vector<Column> columns = {{"node", Align::left}, {"distance"}};
    if (weighted) columns.push_back({"weight"});
    for (const Column& column : {Column{"contribution"}, Column{"share %"}, Column{"label", Align::left},
                                 Column{"path", Align::left}})
        columns.push_back(column);
    Table table(columns);
    for (std::size_t k = 0; k < std::min(top, explanation.neighbors.size()); ++k) {
        const NeighborTerm& term = explanation.neighbors[k];
        std::vector<std::string> row = {printable(node_id(dataset, term.node), 30),
                                        term.distance < 0 ? "none" : fmt::format("{}", term.distance)};
        if (weighted) row.push_back(fmt::format("{:.4f}", term.weight));
        row.push_back(fmt::format("{:+.3f}", term.contribution));
        row.push_back(fmt::format("{:+.1f}", 100.0 * term.share));
        row.push_back(printable(label_of(dataset, term.node), 30));
        row.push_back(path_text(term.path, dataset));
        table.add(row);
    }
    return table.text() + and_more(explanation.neighbors.size(), top, "node");
}

std::string features_text(const Explanation& explanation, std::size_t top) {
    if (explanation.features.empty()) return "";
    Table table({{"feature", Align::left}, {"contribution"}, {"of the node itself"}});
    for (std::size_t k = 0; k < std::min(top, explanation.features.size()); ++k) {
        const FeatureTerm& term = explanation.features[k];
        table.add({printable(term.name, 40), fmt::format("{:+.3f}", term.contribution),
                   fmt::format("{:+.3f}", term.own)});
    }
    const char* const what = explanation.kind == ExplanationKind::shapley   ? "Shapley values"
                             : explanation.kind == ExplanationKind::average ? "weighted as above"
                                                                            : "gradient times input";
    return fmt::format("\nFeatures, over all nodes that have them: {}.\n\n", what) + table.text() +
           and_more(explanation.features.size(), top, "feature");
}

// How each member of an average was explained, and what it says itself.
std::string members_text(const Explanation& explanation) {
    if (explanation.members.empty()) return "";
    Table table({{"member", Align::left},
                 {"weight"},
                 {"its margin"},
                 {"temperature"},
                 {"contributions", Align::left}});
    std::string left_out;
    for (const MemberMargin& member : explanation.members) {
        table.add({member.label, fmt::format("{:.3f}", member.share.weight),
                   fmt::format("{:+.3f}", member.margin), fmt::format("{:.2f}", member.share.temperature),
                   std::string(member.kind ? name_of(*member.kind) : "none")});
        if (!member.kind)
            left_out += fmt::format("{} has no explanation: what it says is in the rest.\n", member.label);
    }
    return table.text() + left_out + "\n";
}

const char* introduction(ExplanationKind kind) {
    if (kind == ExplanationKind::average)
        return "Contributions to the first class (+) or to the second (-): what adds to the margin of each "
               "member\nbetween its own scores of the two, divided by its temperature and times its weight. "
               "They and the\nrest add up to the weighted mean of these margins, which is not the log-odds "
               "of "
               "the averaged\nprobabilities; shares are of the sum of their absolute values.\n\n";
    if (kind == ExplanationKind::shapley)
        return "Contributions to the first class (+) or to the second (-): Shapley values of the columns "
               "that "
               "the\ntrees look at, shared among the nodes that made them. They add up to the margin between "
               "the two\nscores; shares are of the sum of their absolute values.\n\n";
    return kind == ExplanationKind::exact
               ? "Contributions to the first class (+) or to the second (-), exactly. They add up to the "
                 "margin "
                 "between\nthe two scores; shares are of the sum of their absolute values.\n\n"
               : "Contributions to the first class (+) or to the second (-), to first order: the gradient of "
                 "the "
                 "margin\nbetween the two scores times the features of each node. They and the rest add up "
                 "to the "
                 "margin;\nshares are of the sum of their absolute values.\n\n";
}

std::string text_of(const Explanation& explanation, const Dataset& dataset, const std::string& label,
                    std::size_t top) {
    const auto class_text = [&](Index c) {
        return fmt::format("{} ({:.1f} %)", printable(dataset.class_names[c], 40),
                           100.0 * explanation.probabilities[c]);
    };
    const std::string own = label_of(dataset, explanation.node);
    return heading(fmt::format("node {}", printable(node_id(dataset, explanation.node)))) +
           fmt::format(": {} by {}, then {}{}\n\n", class_text(explanation.predicted), label,
                       class_text(explanation.runner_up),
                       own.empty() ? "" : fmt::format("; its label is {}", printable(own, 40))) +
           introduction(explanation.kind) + members_text(explanation) + distances_text(explanation) + "\n" +
           neighbors_text(explanation, dataset, top) + features_text(explanation, top) + "\n";
}

std::string text_of(const FeatureImportances& importances, const std::string& label, std::size_t top) {
    Table table({{"column", Align::left}, {"drop"}, {"deviation"}});
    for (std::size_t k = 0; k < std::min(top, importances.columns.size()); ++k) {
        const FeatureImportance& column = importances.columns[k];
        table.add({printable(column.name, 40), fmt::format("{:+.2f}", 100.0 * column.summary.mean),
                   fmt::format("{:.2f}", 100.0 * column.summary.std)});
    }
    return heading("features") +
           fmt::format(": {} of {}: {:.1f} % on {}\n\n", importances.metric, label, 100.0 * importances.score,
                       counted(importances.nodes, importances.on + " node")) +
           fmt::format(
               "How many points of it are lost where a column is permuted among all nodes: mean and "
               "deviation\nof {}. Columns that say the same stand in for each other.\n\n",
               counted(importances.repeats, "permutation")) +
           table.text() + and_more(importances.columns.size(), top, "column") + "\n";
}

void check(const ExplainOptions& options) {
    if (options.nodes.empty() && !options.importances)
        throw InputError("no node was given: expected --node ID, or --importances");
    check_outputs({json_output(options.common)},
                  input_files_of_run(options.run, options.dataset, options.common));
}

int run_explain(const ExplainOptions& options) {
    check(options);
    const WeightCache cache = cache_of_run(options.run, options.cache);
    const CommandExecution run(options.common);
    const auto [manifest, graph, split, members] =
        open_run(options.run, options.dataset, options.common, cache, run.control(), options.additions);
    const std::vector<Index> nodes = nodes_of(options.nodes, graph.dataset);
    OperatorPool operators(graph, &cache);
    for (const Member& member : members)
        operators.get(member.settings, run.control());
    for (const std::string& message : operators.notes())
        say("warning", message);
    const OperatorSource operator_of = operators_of(operators, run.control());
    const std::string label = members_label(members);
    const auto top = static_cast<std::size_t>(options.top);
    std::string text;
    Json json = {{"run", options.run.string()}, {"explanations", Json::array()}};
    if (!nodes.empty()) {
        const auto explainer = expect_explainer(graph, operator_of, members,
                                                {manifest.temperature, manifest.decision}, run.control());
        for (const Index node : nodes) {
            const Explanation explanation = explainer->explain(node, top);
            text += text_of(explanation, graph.dataset, label, top);
            json["explanations"].push_back(Json::parse(explanation_json(explanation, graph.dataset, top)));
        }
        // The contract's keys: those of the first node stand at the top, too.
        const Json first = json["explanations"].front();
        json.update(first);
    }
    if (options.importances) {
        ImportanceOptions permutations = options.permutations;
        permutations.shown = {manifest.temperature, manifest.decision};
        const FeatureImportances found =
            measure_importances(graph, operator_of, members, split, permutations, run.control());
        text += text_of(found, label, top);
        Json& importances = json["feature_importances"] = Json::parse(importances_json(found, top));
        importances["notes"] = Json::array();
        for (const std::string& message : found.notes) {
            note(options.common, message);
            importances["notes"].push_back(in_options(message));
        }
    }
    deliver(text, json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_explain_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<ExplainOptions>();
    CLI::App& command = add_command(
        program, "explain", "Show which nodes and features contributed to a prediction, and how much.",
        "  hwgcn explain runs/cora --node 1358\n"
        "  hwgcn explain teams --node cleo --node fay --top 5\n"
        "  hwgcn explain teams --importances");
    command.add_option("RUN", options->run, "a folder that hwgcn train --out wrote");
    add_dataset_options(command, options->dataset);
    command.get_option("DATASET")->description("where the data of the run are now, if they were moved");
    command.add_option("--node", options->nodes, "the node to explain, by its id; may be repeated")
        ->type_name("ID");
    command.add_flag("--importances", options->importances,
                     "what held-out nodes lose where a column of the features is permuted");
    add_parameter_options(command, explain_parameters(), *options);
    add_parameter_options(command, importance_parameters(), options->permutations);
    add_addition_options(command, options->additions);
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_explain(*options); }});
}

}  // namespace hwgcn::cli
