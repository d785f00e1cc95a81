#include "operators/weight_rows.hpp"

#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"

namespace hwgcn {

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

CsrMatrix<double> mean_of(const CsrMatrix<double>& weights, const CsrMatrix<double>& transposed) {
    CsrMatrix<double> mean{weights.rows, weights.columns, {0}, {}, {}};
    SparseVector row, merged;
    for (Index i = 0; i < weights.rows; ++i) {
        const SparseRow<double> given = weights.row(i);
        row.columns.assign(given.indices.begin(), given.indices.end());
        row.values.assign(given.values.begin(), given.values.end());
        add_row(transposed.row(i), row, merged);
        mean.indices.insert(mean.indices.end(), row.columns.begin(), row.columns.end());
        for (const double sum : row.values)
            mean.values.push_back(0.5 * sum);
        mean.offsets.push_back(mean.entries());
    }
    return mean;
}

SparseRow<double> WeightRows::row(Index i) {
    adjacency_(i, sum_);
    for (const CsrMatrix<double>* const order : orders_)
        add_row(order->row(i), sum_, merged_);
    return {sum_.columns, sum_.values};
}

CsrMatrix<float> without_diagonal(WeightRows& weights, Index rows, Index first, Index columns,
                                  const ExecutionControl& control) {
    CsrMatrix<float> matrix{rows, columns, {0}, {}, {}};
    for (Index i = 0; i < rows; ++i) {
        throw_if_stopped(control);
        const SparseRow<double> row = weights.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (row.indices[e] == first + i) continue;
            matrix.indices.push_back(row.indices[e]);
            matrix.values.push_back(static_cast<float>(row.values[e]));
        }
        matrix.offsets.push_back(matrix.entries());
    }
    return matrix;
}

RowSumsOfWeights sums_of_rows(WeightRows& weights, Index rows, Index first, const ExecutionControl& control) {
    RowSumsOfWeights found;
    found.sums.reserve(static_cast<std::size_t>(rows));
    found.offsets.reserve(static_cast<std::size_t>(rows) + 1);
    for (Index i = 0; i < rows; ++i) {
        throw_if_stopped(control);
        const SparseRow<double> row = weights.row(i);
        const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
        if (!(sum > 0 && std::isfinite(sum))) {
            throw InputError(fmt::format(
                "the weights of node {} sum to {}, expected a finite number above zero", first + i, sum));
        }
        found.sums.push_back(sum);
        found.offsets.push_back(found.offsets.back() + static_cast<std::int64_t>(row.size()));
    }
    return found;
}

}  // namespace hwgcn
