#pragma once

#include <span>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How many numbers of some matrices are infinite or NaN: a 1 x 1 matrix. All of them are in the same memory.
void count_infinite(std::span<const ConstMatrixView> matrices, MatrixView out);

/// Whether no number of a matrix of the host is infinite or NaN.
bool all_finite(ConstMatrixView matrix);

}  // namespace hwgcn
