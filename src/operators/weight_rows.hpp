#pragma once

#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

#include "graph/smoothing.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// sum += row, a merge of two ascending lists; `merged` is scratch memory.
void add_row(const SparseRow<double>& row, SparseVector& sum, SparseVector& merged);

/// (W + W')/2, from the rows of W and those of W'.
CsrMatrix<double> mean_of(const CsrMatrix<double>& weights, const CsrMatrix<double>& transposed);

/// The rows of W~ = A + I + the learned orders, one at a time and in double precision: W~ itself is never
/// stored.
class WeightRows {
  public:
    /// Puts row i of A + I into a vector.
    using Adjacency = std::function<void(Index i, SparseVector& row)>;

    /// The matrices must outlive it.
    WeightRows(Adjacency adjacency, std::vector<const CsrMatrix<double>*> orders)
        : adjacency_(std::move(adjacency)), orders_(std::move(orders)) {}

    /// Valid until the next call.
    SparseRow<double> row(Index i);

  private:
    Adjacency adjacency_;
    std::vector<const CsrMatrix<double>*> orders_;
    SparseVector sum_;
    SparseVector merged_;
};

/// The sums of these rows, which must be positive, and where each begins. `first` is the node of row 0, for
/// messages.
struct RowSumsOfWeights {
    std::vector<double> sums;
    std::vector<std::int64_t> offsets = {0};
};
RowSumsOfWeights sums_of_rows(WeightRows& weights, Index rows, Index first, const ExecutionControl& control);

/// W without its diagonal; `first` is the node of row 0.
CsrMatrix<float> without_diagonal(WeightRows& weights, Index rows, Index first, Index columns,
                                  const ExecutionControl& control);

/// The weights w_ij for which keeps(i, j, w_ij) holds.
template <typename Keeps>
CsrMatrix<double> kept_weights(const CsrMatrix<double>& weights, const Keeps& keeps) {
    CsrMatrix<double> kept{weights.rows, weights.columns, {0}, {}, {}};
    for (Index i = 0; i < weights.rows; ++i) {
        const SparseRow<double> row = weights.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (!keeps(i, row.indices[e], row.values[e])) continue;
            kept.indices.push_back(row.indices[e]);
            kept.values.push_back(row.values[e]);
        }
        kept.offsets.push_back(kept.entries());
    }
    return kept;
}

/// The learned orders as an operator has them: given ones, or copies of its own.
struct OperatorOrders {
    std::vector<CsrMatrix<double>> own;
    std::vector<const CsrMatrix<double>*> matrices;

    /// Leaves out the weights w_ij below share sqrt(d_i d_j), d being sums of rows with them; `sum_of(j)` is
    /// d_j. Edges of the graph are in no order: they stay.
    template <typename SumOf>
    void leave_out(double share, const RowSumsOfWeights& found, const SumOf& sum_of) {
        std::vector<CsrMatrix<double>> kept;
        for (const CsrMatrix<double>* const order : matrices) {
            kept.push_back(kept_weights(*order, [&](Index i, Index j, double weight) {
                return weight >= share * std::sqrt(found.sums[i] * sum_of(j));
            }));
        }
        own = std::move(kept);
        for (std::size_t k = 0; k < own.size(); ++k)
            matrices[k] = &own[k];
    }
};

/// P_ij = w_ij / sqrt(d_i d_j); `sum_of(j)` is d_j.
template <typename SumOf>
CsrMatrix<float> normalized(WeightRows& weights, const RowSumsOfWeights& found, Index columns,
                            const SumOf& sum_of) {
    CsrMatrix<float> matrix{static_cast<Index>(found.sums.size()), columns, found.offsets, {}, {}};
    matrix.indices.reserve(static_cast<std::size_t>(matrix.offsets.back()));
    matrix.values.reserve(static_cast<std::size_t>(matrix.offsets.back()));
    for (Index i = 0; i < matrix.rows; ++i) {
        const SparseRow<double> row = weights.row(i);
        matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
        for (std::size_t e = 0; e < row.size(); ++e) {
            const double scale = std::sqrt(found.sums[i] * sum_of(row.indices[e]));
            matrix.values.push_back(static_cast<float>(row.values[e] / scale));
        }
    }
    return matrix;
}

}  // namespace hwgcn
