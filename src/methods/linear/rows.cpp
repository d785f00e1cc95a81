#include "methods/linear/rows.hpp"

#include <cmath>
#include <numeric>

namespace hwgcn {

std::vector<Index> all_indices(Index count) {
    std::vector<Index> indices(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), Index{0});
    return indices;
}

std::vector<double> row_sums(const CsrMatrix<float>& matrix) {
    std::vector<double> sums;
    for (Index i = 0; i < matrix.rows; ++i) {
        double sum = 0;
        for (const float value : matrix.row(i).values)
            sum += static_cast<double>(value);
        sums.push_back(sum);
    }
    return sums;
}

CsrMatrix<float> sparse_rows(ConstMatrixView matrix, std::span<const Index> rows) {
    CsrMatrix<float> result{static_cast<Index>(rows.size()), matrix.columns, {0}, {}, {}};
    result.indices.reserve(rows.size() * static_cast<std::size_t>(matrix.columns));
    result.values.reserve(rows.size() * static_cast<std::size_t>(matrix.columns));
    for (const Index i : rows) {
        for (Index j = 0; j < matrix.columns; ++j) {
            result.indices.push_back(j);
            result.values.push_back(matrix.at(i, j));
        }
        result.offsets.push_back(result.entries());
    }
    return result;
}

CsrMatrix<float> sparse_rows(const CsrMatrix<float>& matrix, std::span<const Index> rows) {
    CsrMatrix<float> result{static_cast<Index>(rows.size()), matrix.columns, {0}, {}, {}};
    for (const Index i : rows) {
        const SparseRow<float> row = matrix.row(i);
        result.indices.insert(result.indices.end(), row.indices.begin(), row.indices.end());
        result.values.insert(result.values.end(), row.values.begin(), row.values.end());
        result.offsets.push_back(result.entries());
    }
    return result;
}

CsrMatrix<float> unit_rows(CsrMatrix<float> matrix) {
    for (Index i = 0; i < matrix.rows; ++i) {
        double squares = 0;
        for (const float value : matrix.row(i).values)
            squares += static_cast<double>(value) * static_cast<double>(value);
        if (!(squares > 0)) continue;
        for (std::int64_t e = matrix.offsets[i]; e < matrix.offsets[i + std::size_t{1}]; ++e)
            matrix.values[e] = static_cast<float>(static_cast<double>(matrix.values[e]) / std::sqrt(squares));
    }
    return matrix;
}

}  // namespace hwgcn
