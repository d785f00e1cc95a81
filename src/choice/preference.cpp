#include "choice/preference.hpp"

#include <algorithm>

#include "choice/feature_likeness.hpp"
#include "graph/summary.hpp"
#include "models/known_labels.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

constexpr Index few_per_class = 10;
constexpr Index few_without_validation = 20;
constexpr Index many_per_class = 100;
constexpr Index many_share = 4;  // one in four

bool has_many_labels(const PreparedGraph& graph, const Split& split) {
    const auto labels = static_cast<Index>(split.train.size());
    const Index classes = graph.dataset.classes();
    if (labels < few_per_class * classes) return false;
    return labels >= many_per_class * classes || labels >= graph.graph.nodes() / many_share;
}

// How much more often than by chance an edge joins nodes of one class, of the edges between known labels:
// (h - e) / (1 - e), where h is their share and e that of two nodes drawn at random. 1 for a graph without
// such edges, and where there is one class.
double homophily_beyond_chance(const PreparedGraph& graph, const Split& split,
                               const ExecutionControl& control) {
    const auto all = static_cast<double>(split.train.size() + split.validation.size());
    double expected = 0;
    for (const double count : known_labels_by_class(graph.dataset, split))
        expected += count / all * (count / all);
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    const GraphSummary summary = summarize_graph(graph.graph, known_labels(graph.dataset, split), silent);
    if (summary.labelled_edges == 0 || expected >= 1) return 1;
    return (summary.homophily - expected) / (1 - expected);
}

// Of several orders of HWGCN only the lowest: with many labels, the others add work and little else.
void keep_lowest_order(std::vector<MethodSettings>& candidates) {
    int lowest = 0;
    for (const MethodSettings& candidate : candidates) {
        if (candidate.method() != "hwgcn") continue;
        lowest = lowest == 0 ? order_of(candidate) : std::min(lowest, order_of(candidate));
    }
    std::erase_if(candidates, [&](const MethodSettings& candidate) {
        return candidate.method() == "hwgcn" && order_of(candidate) > lowest;
    });
}

// Training for consistency needs some labels, or validation nodes that stop it in time: with few per class
// and nothing to stop by, all nodes may come to agree on the same few classes. Then it comes last, and
// diffusion first, which is solved to its optimum. DeepWalk needs some labels, too, and goes after LP. With a
// single one per class the plain graph comes first. Where features say nothing about the graph, LP does.
void prefer_what_needs_few_labels(const PreparedGraph& graph, const Split& split,
                                  std::vector<MethodSettings>& candidates) {
    std::stable_partition(candidates.begin(), candidates.end(), [](const MethodSettings& candidate) {
        return candidate.fit().scheme != Scheme::consistency;
    });
    const auto walks = std::ranges::find(candidates, "deepwalk", &MethodSettings::method);
    const auto labels =
        std::find_if(walks, candidates.end(), [](const MethodSettings& one) { return one.method() == "lp"; });
    if (labels != candidates.end()) std::rotate(walks, labels, labels + 1);
    const std::vector<Index> counts = known_labels_by_class(graph.dataset, split);
    if (std::ranges::all_of(counts, [](Index count) { return count < 2; })) {
        std::ranges::stable_partition(candidates, [](const MethodSettings& candidate) {
            return candidate.operator_kind() != OperatorKind::higher_order;
        });
    }
    if (graph.features.structural || feature_likeness(graph).is_there()) return;
    std::ranges::stable_partition(candidates,
                                  [](const MethodSettings& candidate) { return candidate.method() == "lp"; });
}

// Self-training that was not asked for is for graphs whose classes have five times as many nodes on average
// as a teacher labels.
void add_those_with_validation(const PreparedGraph& graph, const Automatic& automatic,
                               std::vector<MethodSettings>& methods) {
    constexpr int enough = 5;
    const Index per_class = graph.graph.nodes() / graph.dataset.classes();
    const bool asked_for =
        std::ranges::any_of(methods, [](const MethodSettings& one) { return one.fit().self_training > 0; });
    std::vector<MethodSettings> more = automatic.with_validation;
    std::erase_if(more, [&](const MethodSettings& candidate) {
        return !asked_for && enough * candidate.fit().self_training > per_class;
    });
    const auto after_hwgpr =
        std::ranges::find_if_not(methods, [](const MethodSettings& one) { return one.method() == "hwgpr"; });
    methods.insert(after_hwgpr, more.begin(), more.end());
    merge_equal_candidates(methods);
}

}  // namespace

Candidates candidates_for(const PreparedGraph& graph, const Automatic& automatic, const Split& split,
                          const ExecutionControl& control) {
    Candidates result{automatic.candidates};
    std::vector<MethodSettings>& methods = result.methods;
    const Index few = few_without_validation * graph.dataset.classes();
    if (static_cast<Index>(split.train.size()) < few && split.validation.empty())
        prefer_what_needs_few_labels(graph, split, methods);
    result.many_labels = has_many_labels(graph, split);
    if (!result.many_labels && !split.validation.empty())
        add_those_with_validation(graph, automatic, methods);
    if (!result.many_labels || automatic.with_many_labels.empty()) return result;
    keep_lowest_order(methods);
    constexpr double hardly = 0.3;
    result.neighbors_differ = homophily_beyond_chance(graph, split, control) < hardly;
    // Where neighbors differ, what tells them apart comes first, and then the features alone.
    if (result.neighbors_differ) {
        std::stable_partition(methods.begin(), methods.end(), [](const MethodSettings& candidate) {
            return candidate.method().starts_with("linear") || candidate.method() == "boosted";
        });
    }
    methods.insert(result.neighbors_differ ? methods.begin() : methods.end(),
                   automatic.with_many_labels.begin(), automatic.with_many_labels.end());
    return result;
}

}  // namespace hwgcn
