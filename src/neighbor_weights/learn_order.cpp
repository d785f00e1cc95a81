#include "neighbor_weights/learn_order.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "support/parallel_for.hpp"

namespace hwgcn {
namespace {

// Rows are learned in blocks of nodes, so that besides the finished rows only one block is held twice.
constexpr Index kBlock = 8192;

// The rows of one block in the order in which one worker finished them.
struct FinishedRows {
    std::vector<Index> columns;
    std::vector<double> values;
};
struct RowPlace {
    int worker;
    std::size_t begin;
    std::size_t count;
};

struct Tally {
    OrderSummary summary;
    std::array<std::int64_t, 6> bins{};
};

std::size_t bin_of(double weight) {
    constexpr std::array<double, 5> kBounds{1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    return static_cast<std::size_t>(std::upper_bound(kBounds.begin(), kBounds.end(), weight) -
                                    kBounds.begin());
}

// Ties go to the smaller node, whatever order nodes come in.
void note_gap(double gap, Index node, OrderSummary& summary) {
    const bool tie = gap == summary.worst_gap && node < summary.worst_node;
    if (summary.worst_node >= 0 && gap <= summary.worst_gap && !tie) return;
    summary.worst_gap = gap;
    summary.worst_node = node;
}

void count(const RingWeights& ring, Index node, Tally& tally) {
    OrderSummary& summary = tally.summary;
    const auto size = static_cast<std::int64_t>(ring.ring_size);
    const auto support = static_cast<std::int64_t>(ring.weights.size());
    summary.ring_pairs += size;
    summary.largest_ring = std::max(summary.largest_ring, size);
    summary.support += support;
    tally.bins[0] += size - support;
    for (const auto& [column, weight] : ring.weights)
        ++tally.bins[bin_of(weight)];
    if (!ring.solved) return;
    ++summary.problems;
    summary.iterations += ring.iterations;
    if (ring.status != SolveStatus::optimal) ++summary.unfinished;
    if (ring.left_out > 0) ++summary.capped_rings;
    summary.capped_pairs += static_cast<std::int64_t>(ring.left_out);
    note_gap(ring.gap, node, summary);
}

// Sums and maxima only: the same whatever worker counted what.
void merge(const Tally& part, Tally& total) {
    OrderSummary& a = total.summary;
    const OrderSummary& b = part.summary;
    a.problems += b.problems;
    a.ring_pairs += b.ring_pairs;
    a.largest_ring = std::max(a.largest_ring, b.largest_ring);
    a.support += b.support;
    a.unfinished += b.unfinished;
    a.capped_rings += b.capped_rings;
    a.capped_pairs += b.capped_pairs;
    a.iterations += b.iterations;
    if (b.worst_node >= 0) note_gap(b.worst_gap, b.worst_node, a);
    for (std::size_t k = 0; k < total.bins.size(); ++k)
        total.bins[k] += part.bins[k];
}

// The nodes of a block, those with most two-step walks first: a hub that comes last would be waited for
// alone.
std::vector<Index> heaviest_first(const Graph& graph, Index begin, Index end) {
    std::vector<std::pair<std::int64_t, Index>> load;
    for (Index node = begin; node < end; ++node) {
        std::int64_t walks = 0;
        for (const Index neighbor : graph.neighbors(node))
            walks += static_cast<std::int64_t>(graph.neighbors(neighbor).size());
        load.emplace_back(-walks, node);
    }
    std::sort(load.begin(), load.end());
    std::vector<Index> nodes;
    for (const auto& [walks, node] : load)
        nodes.push_back(node);
    return nodes;
}

// Strings the rows of all blocks together, giving back the memory of each as soon as it is copied.
CsrMatrix<double> concatenate(Index nodes, std::vector<std::int64_t> offsets,
                              std::vector<FinishedRows> blocks) {
    CsrMatrix<double> matrix{nodes, nodes, std::move(offsets), {}, {}};
    matrix.columns.reserve(static_cast<std::size_t>(matrix.offsets.back()));
    matrix.values.reserve(static_cast<std::size_t>(matrix.offsets.back()));
    for (FinishedRows& block : blocks) {
        matrix.columns.insert(matrix.columns.end(), block.columns.begin(), block.columns.end());
        matrix.values.insert(matrix.values.end(), block.values.begin(), block.values.end());
        block = {};
    }
    return matrix;
}

}  // namespace

OrderWeights learn_order(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                         int order, const RunControl& control) {
    const auto started = std::chrono::steady_clock::now();
    const auto workers = static_cast<std::size_t>(thread_count(control));
    std::vector<RingLearner> learners;
    for (std::size_t w = 0; w < workers; ++w)
        learners.emplace_back(graph, features, options);
    std::vector<Tally> tallies(workers);

    OrderWeights result;
    result.ring_sizes.resize(static_cast<std::size_t>(graph.nodes()));
    std::vector<std::int64_t> offsets{0};
    std::vector<FinishedRows> blocks;
    for (Index begin = 0; begin < graph.nodes(); begin += kBlock) {
        const Index end = std::min(graph.nodes() - begin, kBlock) + begin;
        const std::vector<Index> nodes = heaviest_first(graph, begin, end);
        std::vector<FinishedRows> finished(workers);
        std::vector<RowPlace> places(nodes.size());
        parallel_for(end - begin, 4, control, [&](int worker, std::int64_t index) {
            const Index node = nodes[index];
            const RingWeights& ring = learners[worker].learn(node, order);
            FinishedRows& rows = finished[worker];
            places[node - begin] = {worker, rows.columns.size(), ring.weights.size()};
            for (const auto& [column, weight] : ring.weights) {
                rows.columns.push_back(column);
                rows.values.push_back(weight);
            }
            result.ring_sizes[node] = static_cast<Index>(ring.ring_size);
            count(ring, node, tallies[worker]);
        });
        FinishedRows& block = blocks.emplace_back();
        for (const RowPlace& place : places) {
            const FinishedRows& rows = finished[place.worker];
            const auto first = static_cast<std::ptrdiff_t>(place.begin);
            const auto last = static_cast<std::ptrdiff_t>(place.begin + place.count);
            block.columns.insert(block.columns.end(), rows.columns.begin() + first,
                                 rows.columns.begin() + last);
            block.values.insert(block.values.end(), rows.values.begin() + first, rows.values.begin() + last);
            offsets.push_back(offsets.back() + static_cast<std::int64_t>(place.count));
        }
        block.columns.shrink_to_fit();
        block.values.shrink_to_fit();
    }
    result.matrix = concatenate(graph.nodes(), std::move(offsets), std::move(blocks));

    Tally total;
    for (const Tally& tally : tallies)
        merge(tally, total);
    result.summary = total.summary;
    result.summary.order = order;
    result.summary.kept = result.summary.support;
    for (std::size_t k = 0; k < total.bins.size(); ++k) {
        const auto pairs = static_cast<double>(std::max<std::int64_t>(1, total.summary.ring_pairs));
        result.summary.statistics_percent[k] = 100.0 * static_cast<double>(total.bins[k]) / pairs;
    }
    result.summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return result;
}

}  // namespace hwgcn
