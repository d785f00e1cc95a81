#pragma once

#include <span>
#include <vector>

#include "hwgcn/linalg/dense_matrix.hpp"

namespace hwgcn {

// Between a matrix and numbers that the rest of the program looks at. These lists hold the numbers row by
// row, without padding.

/// The numbers of a matrix.
std::vector<float> download(ConstMatrixView matrix);

/// Makes `numbers` those of the matrix; there are rows * columns of them.
void upload(std::span<const float> numbers, MatrixView out);

/// Where a matrix is; null: in the memory of the host.
gpu::Device* device_of(ConstMatrixView matrix);

/// A copy in the memory of a device; null: of the host.
DenseMatrix copy_on(gpu::Device* device, ConstMatrixView matrix);

/// Every number becomes `value`.
void fill(MatrixView out, float value);

/// The only number of a 1 x 1 matrix, such as a loss.
inline float number(ConstMatrixView single) {
    return download(single).front();
}

}  // namespace hwgcn
