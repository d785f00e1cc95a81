#include "operators/propagation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"
#include "graph/smoothing.hpp"
#include "operators/validate_weights.hpp"
#include "operators/weight_rows.hpp"

namespace hwgcn {
namespace {

// A counting sort by column; the rows are visited in order, so the columns of the result ascend.
template <typename Value>
CsrMatrix<Value> transposed_copy(const CsrMatrix<Value>& matrix) {
    CsrMatrix<Value> result{matrix.columns, matrix.rows, {}, {}, {}};
    result.offsets.assign(static_cast<std::size_t>(result.rows) + 1, 0);
    for (const Index column : matrix.indices)
        ++result.offsets[column + std::size_t{1}];
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    result.indices.resize(matrix.indices.size());
    result.values.resize(matrix.values.size());
    std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (Index i = 0; i < matrix.rows; ++i) {
        const SparseRow<Value> row = matrix.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            const std::int64_t place = next[row.indices[e]]++;
            result.indices[place] = i;
            result.values[place] = row.values[e];
        }
    }
    return result;
}

// Row i of A + I.
WeightRows::Adjacency adjacency_of(const Graph& graph) {
    return [&graph](Index node, SparseVector& row) {
        const std::span<const Index> neighbors = graph.neighbors(node);
        row.columns.assign(neighbors.begin(), neighbors.end());
        if (graph.weighted()) {
            const std::span<const float> weights = graph.weights(node);
            row.values.assign(weights.begin(), weights.end());
        } else {
            row.values.assign(neighbors.size(), 1.0);
        }
        const auto place = std::lower_bound(neighbors.begin(), neighbors.end(), node) - neighbors.begin();
        row.columns.insert(row.columns.begin() + place, node);
        row.values.insert(row.values.begin() + place, 1.0 + graph.loop_weight(node));
    };
}

// The learned orders, made symmetric where that is wanted: (w_ij + w_ji)/2 comes before the sum over the
// orders: both triangles get the same bits.
OperatorOrders orders_of(const LearnedWeights& weights, bool symmetric) {
    OperatorOrders orders;
    for (const OrderWeights& order : weights.orders) {
        if (symmetric) orders.own.push_back(oriented(order.matrix, Orientation::symmetric));
    }
    for (std::size_t k = 0; k < weights.orders.size(); ++k)
        orders.matrices.push_back(symmetric ? &orders.own[k] : &weights.orders[k].matrix);
    return orders;
}

}  // namespace

void validate_weights(const Graph& graph, const LearnedWeights& weights) {
    for (const OrderWeights& order : weights.orders) {
        if (order.matrix.rows == graph.nodes() && order.matrix.columns == graph.nodes()) continue;
        throw InputError(fmt::format("weights of order {}: {} x {}, expected {} x {}, one row for each node",
                                     order.summary.order, order.matrix.rows, order.matrix.columns,
                                     graph.nodes(), graph.nodes()));
    }
}

Propagation build_propagation(const Graph& graph, const LearnedWeights& weights,
                              const PropagationOptions& options, const ExecutionControl& control) {
    validate_weights(graph, weights);
    const bool made_symmetric = options.orientation == Orientation::symmetric;
    OperatorOrders orders = orders_of(weights, made_symmetric);
    if (options.least_share > 0) {
        WeightRows all(adjacency_of(graph), orders.matrices);
        const RowSumsOfWeights sums = sums_of_rows(all, graph.nodes(), 0, control);
        orders.leave_out(options.least_share, sums, [&](Index j) { return sums.sums[j]; });
    }
    WeightRows rows(adjacency_of(graph), orders.matrices);
    const RowSumsOfWeights found = sums_of_rows(rows, graph.nodes(), 0, control);
    const auto matrix = std::make_shared<const CsrMatrix<float>>(
        normalized(rows, found, graph.nodes(), [&](Index j) { return found.sums[j]; }));
    if (made_symmetric || weights.orders.empty()) return {matrix, matrix};
    const auto other = std::make_shared<const CsrMatrix<float>>(transposed(*matrix));
    if (options.orientation == Orientation::transposed) return {other, matrix};
    return {matrix, other};
}

Propagation weighted_graph(const Graph& graph, const LearnedWeights& weights,
                           const ExecutionControl& control) {
    validate_weights(graph, weights);
    const OperatorOrders orders = orders_of(weights, true);
    WeightRows rows(adjacency_of(graph), orders.matrices);
    const auto matrix = std::make_shared<const CsrMatrix<float>>(
        without_diagonal(rows, graph.nodes(), 0, graph.nodes(), control));
    return {matrix, matrix};
}

Propagation build_directed_propagation(const CsrMatrix<float>& arcs, Direction direction,
                                       const ExecutionControl& control) {
    const CsrMatrix<float> adjacency = direction == Direction::in ? transposed(arcs) : arcs;
    CsrMatrix<float> matrix{adjacency.rows, adjacency.columns, {0}, {}, {}};
    SparseVector row, merged;
    for (Index i = 0; i < adjacency.rows; ++i) {
        throw_if_stopped(control);
        const SparseRow<float> given = adjacency.row(i);
        row.columns.assign(given.indices.begin(), given.indices.end());
        row.values.assign(given.values.begin(), given.values.end());
        const double one = 1.0;
        add_row({{&i, 1}, {&one, 1}}, row, merged);
        const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
        matrix.indices.insert(matrix.indices.end(), row.columns.begin(), row.columns.end());
        for (const double value : row.values)
            matrix.values.push_back(static_cast<float>(value / sum));
        matrix.offsets.push_back(matrix.entries());
    }
    const auto other = std::make_shared<const CsrMatrix<float>>(transposed(matrix));
    return {std::make_shared<const CsrMatrix<float>>(std::move(matrix)), other};
}

CsrMatrix<float> transposed(const CsrMatrix<float>& matrix) {
    return transposed_copy(matrix);
}

CsrMatrix<double> oriented(const CsrMatrix<double>& weights, Orientation orientation) {
    if (orientation == Orientation::paper) return weights;
    CsrMatrix<double> other = transposed_copy(weights);
    return orientation == Orientation::transposed ? other : mean_of(weights, other);
}

}  // namespace hwgcn
