#include "metrics/class_ranking.hpp"

#include <vector>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

#include "metrics/ranked_positives.hpp"
#include "support/parallel_for.hpp"
#include "support/stopping.hpp"

namespace hwgcn {
namespace {

// The nodes of a class against all others, by the probability of the class.
RankedPositives ranking_of(Index label, ConstMatrixView probabilities, std::span<const Index> labels,
                           std::span<const Index> nodes, const ExecutionControl& control) {
    std::vector<float> positives;
    for (const Index node : nodes) {
        if (labels[node] == label) positives.push_back(probabilities.at(node, label));
    }
    RankedPositives ranked(std::move(positives));
    for (const Index node : nodes) {
        throw_if_stopped(control);
        if (labels[node] != label) ranked.add_negative(probabilities.at(node, label));
    }
    return ranked;
}

// Those whose ranking can be judged: of two classes the positive one, since the other has the same ROC curve,
// mirrored.
std::vector<Index> classes_to_rank(const Metrics& metrics) {
    std::vector<Index> classes;
    for (Index c = 0; c < static_cast<Index>(metrics.classes.size()); ++c) {
        const Index support = metrics.classes[c].support;
        const bool asked = metrics.positive < 0 || metrics.positive == c;
        if (asked && support > 0 && support < metrics.count) classes.push_back(c);
    }
    return classes;
}

}  // namespace

void rank_classes(Metrics& metrics, ConstMatrixView probabilities, std::span<const Index> labels,
                  std::span<const Index> nodes, Index positive, const ExecutionControl& control) {
    const Index classes = probabilities.columns;
    if (positive < -1 || positive >= classes)
        throw InputError(fmt::format("positive class: expected one in 0..{}, got {}", classes - 1, positive));
    if (classes == 2) metrics.positive = positive >= 0 ? positive : rarer_class(labels, nodes, classes);
    const std::vector<Index> ranked_classes = classes_to_rank(metrics);
    if (ranked_classes.empty()) return;

    std::vector<RankingCurve> curves(ranked_classes.size());
    const bool drawn = ranked_classes.size() <= static_cast<std::size_t>(most_ranking_curves);
    constexpr std::size_t too_few_for_threads = 100000;
    const bool alone = nodes.size() * curves.size() < too_few_for_threads;
    const ExecutionControl silent{alone ? 1 : control.threads, nullptr, control.stop};
    parallel_for(static_cast<std::int64_t>(curves.size()), 1, silent, [&](int, std::int64_t k) {
        const Index label = ranked_classes[k];
        const RankedPositives ranked = ranking_of(label, probabilities, labels, nodes, silent);
        curves[k] = {label, ranked.roc_auc(), ranked.average_precision(), {}, {}};
        if (!drawn) return;
        curves[k].roc = ranked.roc(most_curve_points);
        curves[k].precision_recall = ranked.precision_recall(most_curve_points);
    });
    double areas = 0, precisions = 0;
    for (const RankingCurve& curve : curves) {
        areas += curve.roc_auc;
        precisions += curve.average_precision;
    }
    const auto count = static_cast<double>(curves.size());
    metrics.roc_auc = areas / count;
    metrics.average_precision = precisions / count;
    if (drawn) metrics.curves = std::move(curves);
}

}  // namespace hwgcn
