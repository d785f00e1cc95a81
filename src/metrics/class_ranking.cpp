#include "metrics/class_ranking.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parallel_for.hpp"
#include "base/stopping.hpp"
#include "metrics/ranked_positives.hpp"
#include "metrics/ranking.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t block_size = 16;  // floats in a cache line: a row is fetched once for all of them

// The nodes of each of a few classes, in ascending order, against all others, by the probability of the
// class.
std::vector<RankedPositives> rankings_of(std::span<const Index> block, ConstMatrixView probabilities,
                                         std::span<const Index> labels, std::span<const Index> nodes,
                                         const ExecutionControl& control) {
    std::vector<std::vector<float>> positives(block.size());
    for (const Index node : nodes) {
        const auto found = std::lower_bound(block.begin(), block.end(), labels[node]);
        if (found != block.end() && *found == labels[node])
            positives[found - block.begin()].push_back(probabilities.at(node, labels[node]));
    }
    std::vector<RankedPositives> rankings;
    for (std::vector<float>& scores : positives)
        rankings.emplace_back(std::move(scores));
    for (const Index node : nodes) {
        throw_if_stopped(control);
        for (std::size_t k = 0; k < block.size(); ++k) {
            if (labels[node] != block[k]) rankings[k].add_negative(probabilities.at(node, block[k]));
        }
    }
    return rankings;
}

// What a ranking says of a class; its curves where they are drawn.
RankingCurve curve_of(Index label, const RankedPositives& ranking, bool drawn) {
    RankingCurve curve{label, ranking.roc_auc(), ranking.average_precision(), {}, {}};
    if (!drawn) return curve;
    curve.roc = ranking.roc(most_curve_points);
    curve.precision_recall = ranking.precision_recall(most_curve_points);
    return curve;
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
    const std::size_t blocks = (curves.size() + block_size - 1) / block_size;
    parallel_for(static_cast<std::int64_t>(blocks), 1, silent, [&](int, std::int64_t b) {
        const std::size_t first = static_cast<std::size_t>(b) * block_size;
        const std::span<const Index> block =
            std::span(ranked_classes).subspan(first, std::min(block_size, curves.size() - first));
        const std::vector<RankedPositives> rankings =
            rankings_of(block, probabilities, labels, nodes, silent);
        for (std::size_t k = 0; k < block.size(); ++k)
            curves[first + k] = curve_of(block[k], rankings[k], drawn);
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
