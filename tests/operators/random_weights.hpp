#pragma once

#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "base/random_stream.hpp"

namespace hwgcn::testing {

using DenseDouble = std::vector<std::vector<double>>;

inline DenseDouble zeros(Index rows, Index columns) {
    return DenseDouble(static_cast<std::size_t>(rows),
                       std::vector<double>(static_cast<std::size_t>(columns), 0.0));
}

template <typename Value>
DenseDouble dense(const CsrMatrix<Value>& matrix) {
    DenseDouble result = zeros(matrix.rows, matrix.columns);
    for (Index i = 0; i < matrix.rows; ++i) {
        const SparseRow<Value> row = matrix.row(i);
        for (std::size_t e = 0; e < row.size(); ++e)
            result[i][row.indices[e]] = row.values[e];
    }
    return result;
}

/// Orders with positive weights anywhere: more than distances allow, they overlap each other, the edges and
/// the diagonal.
inline LearnedWeights random_weights(Index nodes, int orders, double density, std::uint64_t seed) {
    LearnedWeights weights;
    RandomStream random(seed, 2);
    for (int k = 0; k < orders; ++k) {
        OrderWeights order;
        order.summary.order = k + 2;
        order.matrix = {nodes, nodes, {0}, {}, {}};
        for (Index i = 0; i < nodes; ++i) {
            for (Index j = 0; j < nodes; ++j) {
                if (random.uniform() >= density) continue;
                order.matrix.indices.push_back(j);
                order.matrix.values.push_back(0.01 + random.uniform());
            }
            order.matrix.offsets.push_back(order.matrix.entries());
        }
        weights.orders.push_back(std::move(order));
    }
    return weights;
}

}  // namespace hwgcn::testing
