#pragma once

#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// 0, 1, .., count - 1
std::vector<Index> all_indices(Index count);

/// The sum of every row, in double precision.
std::vector<double> row_sums(const CsrMatrix<float>& matrix);

/// Some rows of a matrix, as sparse ones.
CsrMatrix<float> sparse_rows(ConstMatrixView matrix, std::span<const Index> rows);
CsrMatrix<float> sparse_rows(const CsrMatrix<float>& matrix, std::span<const Index> rows);

/// Every row scaled to length 1: penalties mean the same on every dataset. Rows of zeros stay zero.
CsrMatrix<float> unit_rows(CsrMatrix<float> matrix);

}  // namespace hwgcn
