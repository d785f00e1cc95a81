#include "weights/learn_order.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/parallel_for.hpp"
#include "weights/kept_rows.hpp"

namespace hwgcn {
namespace {

using RowPlace = RowLearner::RowPlace;
using FinishedRows = RowLearner::FinishedRows;

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

}  // namespace

RowLearner::RowLearner(const Graph& rings, std::vector<RingLearner>& learners, int order)
    : rings_(&rings),
      learners_(&learners),
      order_(order),
      finished_(learners.size()),
      tallies_(learners.size()) {}

void RowLearner::learn(Index begin, Index end, CsrMatrix<double>& matrix, std::vector<Index>& ring_sizes,
                       const ExecutionControl& control) {
    const std::vector<Index> nodes = heaviest_first(*rings_, begin, end);
    std::vector<RowPlace> places(nodes.size());
    for (FinishedRows& rows : finished_)
        rows.clear();
    const std::size_t before = ring_sizes.size();
    ring_sizes.resize(before + nodes.size());
    parallel_for(end - begin, 4, control, [&](int worker, std::int64_t index) {
        const Index node = nodes[index];
        const auto place = static_cast<std::size_t>(node - begin);
        const RingWeights& ring = (*learners_)[worker].learn(node, order_);
        FinishedRows& rows = finished_[worker];
        places[place] = {worker, rows.columns.size(), ring.weights.size()};
        for (const auto& [column, weight] : ring.weights) {
            rows.columns.push_back(column);
            rows.values.push_back(weight);
        }
        ring_sizes[before + place] = static_cast<Index>(ring.ring_size);
        tallies_[worker].count(ring, node);
    });
    append_rows(places, finished_, static_cast<Index>(ring_sizes.size()), matrix);
}

OrderTally RowLearner::take_tally() {
    OrderTally total;
    for (OrderTally& tally : tallies_)
        total.merge(std::exchange(tally, {}));
    return total;
}

OrderWeights learn_order(const Graph& graph, std::vector<RingLearner>& learners, int order,
                         const ExecutionControl& control, KeptRows* kept) {
    const auto started = std::chrono::steady_clock::now();
    OrderWeights result;
    result.matrix = {graph.nodes(), graph.nodes(), {0}, {}, {}};
    OrderTally total;
    if (kept != nullptr) kept->restore(result, total);
    const auto restored = static_cast<Index>(result.ring_sizes.size());
    if (control.progress != nullptr) control.progress->advance(restored);
    result.ring_sizes.reserve(static_cast<std::size_t>(graph.nodes()));
    RowLearner rows(graph, learners, order);
    for (Index begin = restored; begin < graph.nodes();) {
        const Index end = begin + std::min(graph.nodes() - begin, rows_at_once);
        rows.learn(begin, end, result.matrix, result.ring_sizes, control);
        begin = end;
        if (kept == nullptr || end == graph.nodes() || !kept->is_due()) continue;
        const OrderTally fresh = rows.take_tally();
        kept->keep(result, end, fresh);
        total.merge(fresh);
    }
    total.merge(rows.take_tally());
    const double seconds = total.summary.seconds;  // of those that were restored
    result.summary = total.finished(order);
    result.summary.seconds =
        seconds + std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return result;
}

}  // namespace hwgcn
