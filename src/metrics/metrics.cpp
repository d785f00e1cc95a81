#include "hwgcn/metrics/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"
#include "metrics/class_ranking.hpp"

namespace hwgcn {
namespace {

void require_shapes(ConstMatrixView probabilities, std::span<const Index> labels, int reliability_bins) {
    if (labels.size() != static_cast<std::size_t>(probabilities.rows)) {
        throw InputError(
            fmt::format("metrics: expected a label for each of the {} rows of probabilities, got {}",
                        probabilities.rows, labels.size()));
    }
    if (reliability_bins < 1)
        throw InputError(fmt::format("reliability bins: expected at least 1, got {}", reliability_bins));
}

// Throws unless the node exists, has a class and has probabilities (a training that diverged leaves NaN).
void require_judgeable(ConstMatrixView probabilities, std::span<const Index> labels, Index node) {
    if (node < 0 || node >= probabilities.rows)
        throw InputError(fmt::format("node {}: expected a node in 0..{}", node, probabilities.rows - 1));
    if (labels[node] < 0 || labels[node] >= probabilities.columns) {
        throw InputError(fmt::format("node {}: expected a label in 0..{}, got {}", node,
                                     probabilities.columns - 1, labels[node]));
    }
    constexpr float highest = 1.00001F;  // one, but for the rounding of a softmax
    for (Index c = 0; c < probabilities.columns; ++c) {
        const float probability = probabilities.at(node, c);
        if (probability >= 0 && probability <= highest) continue;
        throw InputError(
            fmt::format("node {}: expected a probability of class {} in 0..1, got {}", node, c, probability));
    }
}

double share(double part, Index whole) {
    return whole > 0 ? part / whole : 0.0;
}

// Finite even where the label was held impossible: the probability counts as the smallest positive float.
double negative_log_likelihood(float probability) {
    constexpr double smallest = std::numeric_limits<float>::denorm_min();
    return -std::log(std::clamp<double>(probability, smallest, 1.0));
}

/// Nodes of a class, and those that were taken for it.
struct ClassCount {
    Index support = 0;
    Index predicted = 0;
};

// F1, the harmonic mean of precision and recall, is 2 * hits / (support + predicted).
void class_metrics(Metrics& metrics, const std::vector<ClassCount>& counts) {
    Index hits_of_all = 0;
    Index occurring = 0;
    double f1_sum = 0;
    for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
        const auto [support, predicted] = counts[c];
        const Index hits = metrics.confusion[c][c];
        metrics.classes[c] = {.support = support,
                              .precision = share(hits, predicted),
                              .recall = share(hits, support),
                              .f1 = share(2.0 * hits, support + predicted)};
        hits_of_all += hits;
        f1_sum += metrics.classes[c].f1;
        if (support + predicted > 0) ++occurring;
    }
    metrics.accuracy = share(hits_of_all, metrics.count);
    metrics.macro_f1 = share(f1_sum, occurring);
}

// Gorodkin's correlation of labels and predictions: with n nodes, h hits, and t_c, p_c the nodes of class c
// and those taken for it, (n h - sum t p) / sqrt((n^2 - sum t^2) (n^2 - sum p^2)). Whole numbers up to the
// root.
double matthews_correlation(Index count, Index hits, const std::vector<ClassCount>& counts) {
    const auto n = std::int64_t{count};
    std::int64_t products = 0, labels = 0, predictions = 0;
    for (const auto [support, predicted] : counts) {
        products += std::int64_t{support} * predicted;
        labels += std::int64_t{support} * support;
        predictions += std::int64_t{predicted} * predicted;
    }
    const double spread =
        std::sqrt(static_cast<double>(n * n - labels) * static_cast<double>(n * n - predictions));
    return spread > 0 ? static_cast<double>(n * hits - products) / spread : 0.0;
}

// What does not reward answering the commonest class.
void balanced_metrics(Metrics& metrics, const std::vector<ClassCount>& counts) {
    Index hits = 0, occurring = 0;
    double recall_sum = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        hits += metrics.confusion[c][c];
        recall_sum += metrics.classes[c].recall;
        if (counts[c].support > 0) ++occurring;
    }
    metrics.balanced_accuracy = share(recall_sum, occurring);
    metrics.mcc = matthews_correlation(metrics.count, hits, counts);
}

std::vector<ReliabilityBin> empty_bins(int count) {
    std::vector<ReliabilityBin> bins(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
        bins[i].lower = static_cast<double>(i) / count;
        bins[i].upper = static_cast<double>(i + 1) / count;
    }
    return bins;
}

// Adds to the sums of the bin; `finish_bins` makes means of them.
void add_to_bin(std::vector<ReliabilityBin>& bins, double confidence, bool hit) {
    const auto bin = std::lower_bound(bins.begin(), bins.end() - 1, confidence,
                                      [](const ReliabilityBin& b, double value) { return b.upper < value; });
    ++bin->count;
    bin->mean_confidence += confidence;
    bin->accuracy += hit ? 1 : 0;
}

// Expected calibration error: sum over the bins of count/N * |accuracy - mean confidence|.
void finish_bins(Metrics& metrics) {
    for (ReliabilityBin& bin : metrics.reliability) {
        bin.mean_confidence = share(bin.mean_confidence, bin.count);
        bin.accuracy = share(bin.accuracy, bin.count);
        metrics.ece += share(bin.count * std::abs(bin.accuracy - bin.mean_confidence), metrics.count);
    }
}

}  // namespace

Metrics compute_metrics(ConstMatrixView probabilities, std::span<const Index> labels,
                        std::span<const Index> nodes, int reliability_bins) {
    return compute_metrics(probabilities, labels, nodes, ExecutionControl{.threads = 1},
                           {.reliability_bins = reliability_bins});
}

Metrics compute_metrics(ConstMatrixView probabilities, std::span<const Index> labels,
                        std::span<const Index> nodes, const ExecutionControl& control,
                        const MetricsOptions& options) {
    require_shapes(probabilities, labels, options.reliability_bins);
    expect_decision_among(options.decision, probabilities.columns);
    const auto classes = static_cast<std::size_t>(probabilities.columns);
    Metrics metrics;
    metrics.count = static_cast<Index>(nodes.size());
    metrics.classes.resize(classes);
    for (std::size_t c = 0; c < classes; ++c) {
        throw_if_stopped(control);
        metrics.confusion.emplace_back(classes, 0);
    }
    metrics.reliability = empty_bins(options.reliability_bins);
    std::vector<ClassCount> counts(classes);
    for (const Index node : nodes) {
        throw_if_stopped(control);
        require_judgeable(probabilities, labels, node);
        const Index label = labels[node];
        const Index predicted = decide(probabilities, node, options.decision);
        ++metrics.confusion[label][predicted];
        ++counts[label].support;
        ++counts[predicted].predicted;
        metrics.nll += negative_log_likelihood(probabilities.at(node, label));
        add_to_bin(metrics.reliability, probabilities.at(node, predicted), predicted == label);
    }
    metrics.nll = share(metrics.nll, metrics.count);
    class_metrics(metrics, counts);
    balanced_metrics(metrics, counts);
    finish_bins(metrics);
    rank_classes(metrics, probabilities, labels, nodes, options.positive, control);
    return metrics;
}

std::vector<Index> class_support(const Metrics& metrics) {
    std::vector<Index> counts;
    for (const std::vector<Index>& predictions : metrics.confusion)
        counts.push_back(std::accumulate(predictions.begin(), predictions.end(), Index{0}));
    return counts;
}

std::vector<Index> class_support(std::span<const Index> labels, std::span<const Index> nodes, Index classes) {
    std::vector<Index> counts(static_cast<std::size_t>(classes), 0);
    for (const Index node : nodes)
        ++counts[labels[node]];
    return counts;
}

CommonestClass commonest_class(std::span<const Index> training, std::span<const Index> judged) {
    CommonestClass best;
    for (std::size_t c = 0; c < std::min(training.size(), judged.size()); ++c) {
        const bool better =
            best.label < 0 || std::pair(training[c], judged[c]) > std::pair(training[best.label], best.nodes);
        if (better) best = {static_cast<Index>(c), judged[c]};
    }
    return best;
}

bool shows_ranking(std::span<const Index> labels_of_class) {
    if (labels_of_class.size() == 2) return true;
    const auto all = std::accumulate(labels_of_class.begin(), labels_of_class.end(), std::int64_t{0});
    const auto classes = static_cast<std::int64_t>(labels_of_class.size());
    return std::ranges::any_of(labels_of_class,
                               [&](Index labels) { return labels > 0 && 4 * classes * labels < all; });
}

}  // namespace hwgcn
