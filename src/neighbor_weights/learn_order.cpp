#include "neighbor_weights/learn_order.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "support/parallel_for.hpp"

namespace hwgcn {
namespace {

// Nodes are learned in blocks: the rows that workers finish in any order are put in order block by block.
constexpr Index block_size = 2048;

// The rows of one block in the order in which one worker finished them, and where each went.
struct FinishedRows {
    std::vector<Index> columns;
    std::vector<double> values;

    void clear() {
        columns.clear();
        values.clear();
    }
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

// Makes room for the rows to come, generously: memory that is never written to is never used, but moving the
// matrix would for a moment hold it twice.
void reserve_ahead(CsrMatrix<double>& matrix, std::size_t coming, Index nodes_done) {
    const std::size_t needed = matrix.indices.size() + coming;
    if (needed <= matrix.indices.capacity()) return;
    const double expected = static_cast<double>(needed) * matrix.rows / nodes_done;
    const auto room = std::max(needed, static_cast<std::size_t>(1.5 * expected));
    matrix.indices.reserve(room);
    matrix.values.reserve(room);
}

void append_rows(const std::vector<RowPlace>& places, const std::vector<FinishedRows>& finished,
                 Index nodes_done, CsrMatrix<double>& matrix) {
    std::size_t coming = 0;
    for (const RowPlace& place : places)
        coming += place.count;
    reserve_ahead(matrix, coming, nodes_done);
    for (const RowPlace& place : places) {
        const Index* columns = finished[place.worker].columns.data() + place.begin;
        const double* values = finished[place.worker].values.data() + place.begin;
        matrix.indices.insert(matrix.indices.end(), columns, columns + place.count);
        matrix.values.insert(matrix.values.end(), values, values + place.count);
        matrix.offsets.push_back(matrix.entries());
    }
}

OrderSummary summarize(const std::vector<Tally>& tallies, int order) {
    Tally total;
    for (const Tally& tally : tallies)
        merge(tally, total);
    OrderSummary summary = total.summary;
    summary.order = order;
    summary.kept = summary.support;
    const auto pairs = static_cast<double>(std::max<std::int64_t>(1, summary.ring_pairs));
    for (std::size_t k = 0; k < total.bins.size(); ++k) {
        summary.statistics_percent[k] = 100.0 * static_cast<double>(total.bins[k]) / pairs;
    }
    return summary;
}

}  // namespace

OrderWeights learn_order(const Graph& graph, std::vector<RingLearner>& learners, int order,
                         const ExecutionControl& control) {
    const auto started = std::chrono::steady_clock::now();
    OrderWeights result;
    result.matrix = {graph.nodes(), graph.nodes(), {0}, {}, {}};
    result.ring_sizes.resize(static_cast<std::size_t>(graph.nodes()));
    std::vector<Tally> tallies(learners.size());
    std::vector<FinishedRows> finished(learners.size());
    for (Index begin = 0; begin < graph.nodes();) {
        const Index end = begin + std::min(graph.nodes() - begin, block_size);
        const std::vector<Index> nodes = heaviest_first(graph, begin, end);
        std::vector<RowPlace> places(nodes.size());
        for (FinishedRows& rows : finished)
            rows.clear();
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
        append_rows(places, finished, end, result.matrix);
        begin = end;
    }
    result.summary = summarize(tallies, order);
    result.summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return result;
}

}  // namespace hwgcn
