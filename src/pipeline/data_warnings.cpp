#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/pipeline/train_run.hpp"

#include "graph/summary.hpp"
#include "models/known_labels.hpp"
#include "pipeline/warnings.hpp"

namespace hwgcn {
namespace {

void add_warnings_about_classes(const Dataset& dataset, std::vector<std::string>& warnings) {
    constexpr Index many_classes = 20;
    const auto labelled = static_cast<std::int64_t>(all_training_split(dataset).train.size());
    if (dataset.classes() <= many_classes || 2 * std::int64_t{dataset.classes()} <= labelled) return;
    warnings.push_back(
        fmt::format("{} different labels for {} nodes: are they numbers or names rather than classes?",
                    dataset.classes(), labelled));
}

// A graph that joins different classes.
void add_warnings_about_edges(const PreparedGraph& graph, const Split& split, const ExecutionControl& control,
                              std::vector<std::string>& warnings) {
    constexpr std::int64_t enough_edges = 20;
    const GraphSummary summary = summarize_graph(graph.graph, known_labels(graph.dataset, split), control);
    if (summary.labelled_edges < enough_edges || summary.homophily >= 0.5) return;
    warnings.push_back(fmt::format(
        "only {:.0f} % of the {}{} edges between known labels stay within a class: "
        "neighbors may mislead; SAGE knows a node from them, MLP ignores them",
        100.0 * summary.homophily, graph.graph.weighted() ? "weight of the " : "", summary.labelled_edges));
}

}  // namespace

std::vector<std::string> warnings_about_features(const CsrMatrix<float>& features) {
    if (features.columns > 0 && features.entries() == 0)
        return {
            "no feature differs from node to node: there is nothing to learn from them, and LP does without"};
    const double share = common_share(features);
    if (share < nearly_constant_share) return {};
    return {fmt::format(
        "the features hardly tell the nodes apart: {:.0f} % is the same in all of them; `scale=standard` "
        "subtracts it, `categorical` and `ignore` decide what the columns of a node table become, and LP "
        "does "
        "without features",
        std::floor(100 * share))};
}

std::vector<std::string> unused_of_edges(const PreparedGraph& graph, std::span<const AskedMethod> methods) {
    std::vector<std::string> without_directions, without_weights;
    bool chooses = false;
    for (const AskedMethod& method : methods) {
        const auto* settings = std::get_if<MethodSettings>(&method);
        const MethodInfo& info = settings != nullptr ? method_info(settings->method()) : automatic_info();
        if (!info.uses_graph) continue;
        const OperatorKind kind = settings != nullptr ? settings->operator_kind() : OperatorKind::plain;
        const bool directed =
            info.separate_operators || kind == OperatorKind::in || kind == OperatorKind::out;
        if (settings == nullptr) chooses = true;
        if (settings != nullptr && !directed) without_directions.push_back(info.title);
        if (!info.uses_edge_weights) without_weights.push_back(info.title);
    }
    std::vector<std::string> notes;
    if (graph.arcs && !without_directions.empty()) {
        notes.push_back(fmt::format(
            "the directions of the edges are not used: for {} they go both ways; SAGE and Boosted use "
            "them, and SGC, Diffusion, MixHop and GCN-res do with `operator=in` or `operator=out`",
            fmt::join(without_directions, ", ")));
    }
    if (graph.arcs && chooses) {
        notes.push_back(fmt::format(
            "of the candidates of {}, SAGE and HWSAGE use the directions of the edges, and they are "
            "tried where many nodes have labels; for the others edges go both ways; `method=sage` "
            "uses them in any case",
            automatic_info().title));
    }
    if (graph.graph.weighted() && !without_weights.empty()) {
        notes.push_back(fmt::format("the weights of the edges are not used: {} weighs neighbors by itself",
                                    fmt::join(without_weights, ", ")));
    }
    return notes;
}

std::vector<std::string> warnings_about_data(const PreparedGraph& graph, const Split& split,
                                             const ExecutionControl& control) {
    std::vector<std::string> warnings;
    if (!graph.features.structural) warnings = warnings_about_features(*graph.features.scaled);
    for (std::string& sentence : scarce_labels(graph.dataset, split))
        warnings.push_back(std::move(sentence));
    add_warnings_about_classes(graph.dataset, warnings);
    add_warnings_about_edges(graph, split, control, warnings);
    for (std::string& sentence : columns_that_tell(graph, split, control))
        warnings.push_back(std::move(sentence));
    return warnings;
}

}  // namespace hwgcn
