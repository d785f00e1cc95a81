#include "neighbor_weights/learn_order.hpp"

#include <algorithm>
#include <chrono>

#include "neighbor_weights/kept_rows.hpp"
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

struct NodeRange {
    Index begin;
    Index end;
};

// Learns the rings of some nodes and appends their rows.
void learn_block(const Graph& graph, std::vector<RingLearner>& learners, int order, NodeRange block,
                 std::vector<FinishedRows>& finished, std::vector<OrderTally>& tallies, OrderWeights& result,
                 const ExecutionControl& control) {
    const std::vector<Index> nodes = heaviest_first(graph, block.begin, block.end);
    std::vector<RowPlace> places(nodes.size());
    for (FinishedRows& rows : finished)
        rows.clear();
    parallel_for(block.end - block.begin, 4, control, [&](int worker, std::int64_t index) {
        const Index node = nodes[index];
        const RingWeights& ring = learners[worker].learn(node, order);
        FinishedRows& rows = finished[worker];
        places[node - block.begin] = {worker, rows.columns.size(), ring.weights.size()};
        for (const auto& [column, weight] : ring.weights) {
            rows.columns.push_back(column);
            rows.values.push_back(weight);
        }
        result.ring_sizes[node] = static_cast<Index>(ring.ring_size);
        tallies[worker].count(ring, node);
    });
    append_rows(places, finished, block.end, result.matrix);
}

OrderTally merged_tallies(const std::vector<OrderTally>& tallies) {
    OrderTally total;
    for (const OrderTally& tally : tallies)
        total.merge(tally);
    return total;
}

}  // namespace

OrderWeights learn_order(const Graph& graph, std::vector<RingLearner>& learners, int order,
                         const ExecutionControl& control, KeptRows* kept) {
    const auto started = std::chrono::steady_clock::now();
    OrderWeights result;
    result.matrix = {graph.nodes(), graph.nodes(), {0}, {}, {}};
    OrderTally total;
    if (kept != nullptr) kept->restore(result, total);
    const auto restored = static_cast<Index>(result.ring_sizes.size());
    if (control.progress != nullptr) control.progress->advance(restored);
    result.ring_sizes.resize(static_cast<std::size_t>(graph.nodes()));
    std::vector<OrderTally> tallies(learners.size());
    std::vector<FinishedRows> finished(learners.size());
    for (Index begin = restored; begin < graph.nodes();) {
        const Index end = begin + std::min(graph.nodes() - begin, block_size);
        learn_block(graph, learners, order, {begin, end}, finished, tallies, result, control);
        begin = end;
        if (kept == nullptr || end == graph.nodes() || !kept->is_due()) continue;
        const OrderTally fresh = merged_tallies(tallies);
        kept->keep(result, end, fresh);
        total.merge(fresh);
        std::ranges::fill(tallies, OrderTally());
    }
    total.merge(merged_tallies(tallies));
    const double seconds = total.summary.seconds;  // of those that were restored
    result.summary = total.finished(order);
    result.summary.seconds =
        seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return result;
}

}  // namespace hwgcn
