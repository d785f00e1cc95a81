#include <cmath>

#include <fmt/format.h>

#include "hwgcn/graph/summary.hpp"
#include "hwgcn/methods/train_run.hpp"

namespace hwgcn {
namespace {

void add_doubts_about_classes(const Dataset& dataset, std::vector<std::string>& doubts) {
    constexpr Index many_classes = 20;
    const auto labelled = static_cast<std::int64_t>(all_training_split(dataset).train.size());
    if (dataset.classes() <= many_classes || 2 * std::int64_t{dataset.classes()} <= labelled) return;
    doubts.push_back(
        fmt::format("{} different labels for {} nodes: are they numbers or names rather than classes?",
                    dataset.classes(), labelled));
}

// A graph that joins different classes.
void add_doubts_about_edges(const PreparedGraph& graph, const Split& split, const ExecutionControl& control,
                            std::vector<std::string>& doubts) {
    constexpr std::int64_t enough_edges = 20;
    std::vector<Index> known(graph.dataset.labels.size(), unlabelled);
    for (const std::vector<Index>* part : {&split.train, &split.validation}) {
        for (const Index node : *part)
            known[node] = graph.dataset.labels[node];
    }
    const GraphSummary summary = summarize_graph(graph.graph, known, control);
    if (summary.labelled_edges < enough_edges || summary.homophily >= 0.5) return;
    doubts.push_back(
        fmt::format("only {:.0f} % of the {} edges between known labels stay within a class: "
                    "neighbours may mislead, compare with MLP, which ignores them",
                    100.0 * summary.homophily, summary.labelled_edges));
}

}  // namespace

std::vector<std::string> doubts_about_features(const CsrMatrix<float>& features) {
    const double share = common_share(features);
    if (share < nearly_constant_share) return {};
    return {fmt::format(
        "the features hardly tell the nodes apart: once each row is divided by its sum, {:.0f} % is the same "
        "in all of them, as with dense or signed numbers; `scale`, `categorical` and `ignore` decide what "
        "the columns of a node table become, and LP does without features",
        std::floor(100 * share))};
}

std::vector<std::string> doubts_about(const PreparedGraph& graph, const Split& split,
                                      const ExecutionControl& control) {
    std::vector<std::string> doubts;
    if (!graph.structural) doubts = doubts_about_features(*graph.features);
    for (std::string& sentence : scarce_labels(graph.dataset, split))
        doubts.push_back(std::move(sentence));
    add_doubts_about_classes(graph.dataset, doubts);
    add_doubts_about_edges(graph, split, control, doubts);
    return doubts;
}

}  // namespace hwgcn
