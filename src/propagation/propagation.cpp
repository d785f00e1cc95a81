#include "hwgcn/propagation/propagation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/graph/smoothing.hpp"
#include "hwgcn/support/error.hpp"

#include "propagation/validate_weights.hpp"
#include "support/stopping.hpp"

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

// sum += row, a merge of two ascending lists; `merged` is scratch memory.
void add_row(const SparseRow<double>& row, SparseVector& sum, SparseVector& merged) {
    merged.columns.clear();
    merged.values.clear();
    std::size_t s = 0;
    const auto take_from_sum = [&] {
        merged.columns.push_back(sum.columns[s]);
        merged.values.push_back(sum.values[s++]);
    };
    for (std::size_t e = 0; e < row.size(); ++e) {
        while (s < sum.columns.size() && sum.columns[s] <= row.indices[e])
            take_from_sum();
        if (!merged.columns.empty() && merged.columns.back() == row.indices[e]) {
            merged.values.back() += row.values[e];
        } else {
            merged.columns.push_back(row.indices[e]);
            merged.values.push_back(row.values[e]);
        }
    }
    while (s < sum.columns.size())
        take_from_sum();
    std::swap(sum, merged);
}

// The rows of W~ = W + I, one at a time and in double precision, so that W~ itself is never stored.
class WeightRows {
  public:
    WeightRows(const Graph& graph, const LearnedWeights& weights, bool symmetric)
        : graph_(&graph), weights_(&weights) {
        if (!symmetric) return;
        // (w_ij + w_ji)/2 comes before the sum over the orders: both triangles get the same bits.
        for (const OrderWeights& order : weights.orders)
            symmetric_.push_back(oriented(order.matrix, Orientation::symmetric));
    }

    // Valid until the next call.
    SparseRow<double> row(Index node) {
        start_with_adjacency(node);
        for (std::size_t k = 0; k < weights_->orders.size(); ++k) {
            const CsrMatrix<double>& order = symmetric_.empty() ? weights_->orders[k].matrix : symmetric_[k];
            add_row(order.row(node), sum_, merged_);
        }
        return {sum_.columns, sum_.values};
    }

  private:
    void start_with_adjacency(Index node) {
        const std::span<const Index> neighbors = graph_->neighbors(node);
        sum_.columns.assign(neighbors.begin(), neighbors.end());
        if (graph_->weighted()) {
            const std::span<const float> weights = graph_->weights(node);
            sum_.values.assign(weights.begin(), weights.end());
        } else {
            sum_.values.assign(neighbors.size(), 1.0);
        }
        const auto place = std::lower_bound(neighbors.begin(), neighbors.end(), node) - neighbors.begin();
        sum_.columns.insert(sum_.columns.begin() + place, node);
        sum_.values.insert(sum_.values.begin() + place, 1.0 + graph_->loop_weight(node));
    }

    const Graph* graph_;
    const LearnedWeights* weights_;
    std::vector<CsrMatrix<double>> symmetric_;  // of each order; none where W stays as it is
    SparseVector sum_;
    SparseVector merged_;
};

// Two passes over the rows: the first finds their lengths and sums d, the second P_ij = w_ij / sqrt(d_i d_j).
CsrMatrix<float> normalized(WeightRows& weights, Index nodes, const ExecutionControl& control) {
    CsrMatrix<float> matrix{nodes, nodes, {0}, {}, {}};
    matrix.offsets.reserve(static_cast<std::size_t>(nodes) + 1);
    std::vector<double> sums;
    sums.reserve(static_cast<std::size_t>(nodes));
    for (Index i = 0; i < nodes; ++i) {
        throw_if_stopped(control);
        const SparseRow<double> row = weights.row(i);
        const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
        if (!(sum > 0 && std::isfinite(sum))) {
            throw InputError(
                fmt::format("the weights of node {} sum to {}, expected a finite number above zero", i, sum));
        }
        sums.push_back(sum);
        matrix.offsets.push_back(matrix.offsets.back() + static_cast<std::int64_t>(row.size()));
    }
    matrix.indices.reserve(static_cast<std::size_t>(matrix.offsets.back()));
    matrix.values.reserve(static_cast<std::size_t>(matrix.offsets.back()));
    for (Index i = 0; i < nodes; ++i) {
        throw_if_stopped(control);
        const SparseRow<double> row = weights.row(i);
        matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
        for (std::size_t e = 0; e < row.size(); ++e) {
            const double scale = std::sqrt(sums[i] * sums[row.indices[e]]);
            matrix.values.push_back(static_cast<float>(row.values[e] / scale));
        }
    }
    return matrix;
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
    WeightRows rows(graph, weights, made_symmetric);
    const auto matrix = std::make_shared<const CsrMatrix<float>>(normalized(rows, graph.nodes(), control));
    if (made_symmetric || weights.orders.empty()) return {matrix, matrix};
    const auto other = std::make_shared<const CsrMatrix<float>>(transposed(*matrix));
    if (options.orientation == Orientation::transposed) return {other, matrix};
    return {matrix, other};
}

Propagation weighted_graph(const Graph& graph, const LearnedWeights& weights,
                           const ExecutionControl& control) {
    validate_weights(graph, weights);
    WeightRows rows(graph, weights, true);
    CsrMatrix<float> matrix{graph.nodes(), graph.nodes(), {0}, {}, {}};
    for (Index i = 0; i < graph.nodes(); ++i) {
        throw_if_stopped(control);
        const SparseRow<double> row = rows.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (row.indices[e] == i) continue;
            matrix.indices.push_back(row.indices[e]);
            matrix.values.push_back(static_cast<float>(row.values[e]));
        }
        matrix.offsets.push_back(matrix.entries());
    }
    const auto shared = std::make_shared<const CsrMatrix<float>>(std::move(matrix));
    return {shared, shared};
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
    if (orientation == Orientation::transposed) return other;
    CsrMatrix<double> mean{weights.rows, weights.columns, {0}, {}, {}};
    SparseVector row, merged;
    for (Index i = 0; i < weights.rows; ++i) {
        const SparseRow<double> given = weights.row(i);
        row.columns.assign(given.indices.begin(), given.indices.end());
        row.values.assign(given.values.begin(), given.values.end());
        add_row(other.row(i), row, merged);
        mean.indices.insert(mean.indices.end(), row.columns.begin(), row.columns.end());
        for (const double sum : row.values)
            mean.values.push_back(0.5 * sum);
        mean.offsets.push_back(mean.entries());
    }
    return mean;
}

}  // namespace hwgcn
