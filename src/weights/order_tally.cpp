#include "weights/order_tally.hpp"

#include <algorithm>

namespace hwgcn {
namespace {

std::size_t bin_of(double weight) {
    constexpr std::array<double, 5> bounds{1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), weight) - bounds.begin());
}

// Ties go to the smaller node, whatever order nodes come in.
void note_gap(double gap, Index node, OrderSummary& summary) {
    const bool tie = gap == summary.worst_gap && node < summary.worst_node;
    if (summary.worst_node >= 0 && gap <= summary.worst_gap && !tie) return;
    summary.worst_gap = gap;
    summary.worst_node = node;
}

}  // namespace

void OrderTally::count(const RingWeights& ring, Index node) {
    const auto size = static_cast<std::int64_t>(ring.ring_size);
    const auto support = static_cast<std::int64_t>(ring.weights.size());
    summary.ring_pairs += size;
    summary.largest_ring = std::max(summary.largest_ring, size);
    summary.support += support;
    bins[0] += size - support;
    for (const auto& [column, weight] : ring.weights)
        ++bins[bin_of(weight)];
    if (ring.sampled) ++summary.sampled_rings;
    if (!ring.solved) return;
    ++summary.problems;
    summary.iterations += ring.iterations;
    if (ring.status != SolveStatus::optimal) ++summary.unfinished;
    if (ring.left_out > 0) ++summary.capped_rings;
    summary.capped_pairs += static_cast<std::int64_t>(ring.left_out);
    note_gap(ring.gap, node, summary);
}

void OrderTally::merge(const OrderTally& other) {
    const OrderSummary& more = other.summary;
    summary.problems += more.problems;
    summary.ring_pairs += more.ring_pairs;
    summary.largest_ring = std::max(summary.largest_ring, more.largest_ring);
    summary.support += more.support;
    summary.unfinished += more.unfinished;
    summary.capped_rings += more.capped_rings;
    summary.capped_pairs += more.capped_pairs;
    summary.sampled_rings += more.sampled_rings;
    summary.iterations += more.iterations;
    summary.seconds += more.seconds;
    if (more.worst_node >= 0) note_gap(more.worst_gap, more.worst_node, summary);
    for (std::size_t k = 0; k < bins.size(); ++k)
        bins[k] += other.bins[k];
}

OrderSummary OrderTally::finished(int order) const {
    OrderSummary result = summary;
    result.order = order;
    result.kept = result.support;
    const auto pairs = static_cast<double>(std::max<std::int64_t>(1, result.ring_pairs));
    for (std::size_t k = 0; k < bins.size(); ++k)
        result.statistics_percent[k] = 100.0 * static_cast<double>(bins[k]) / pairs;
    return result;
}

}  // namespace hwgcn
