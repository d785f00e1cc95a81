#pragma once

#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

// Between a matrix and numbers that the rest of the program looks at. These lists hold the numbers row by
// row, without padding.

/// The numbers of a matrix.
std::vector<float> download(ConstMatrixView matrix);

/// Makes `numbers` those of the matrix; there are rows * columns of them.
void upload(std::span<const float> numbers, MatrixView out);

/// Where a matrix is; null: in the memory of the host.
gpu::Device* device_of(ConstMatrixView matrix);

/// A matrix of zeros in the memory of a device; null: of the host.
DenseMatrix matrix_on(gpu::Device* device, Index rows, Index columns);

/// A copy in the memory of a device; null: of the host, and of the first of several runs.
DenseMatrix copy_on(gpu::Device* device, ConstMatrixView matrix);

/// A matrix of a device has a copy for each of the runs that its thread has side by side (gpu::SideBySide):
/// all of these, in the memory of the host. A matrix of the host has one.
std::vector<DenseMatrix> copies_of_runs(ConstMatrixView matrix);

/// The other way: makes `copies`, one for each run, those of `out`.
void set_runs(std::span<const ConstMatrixView> copies, MatrixView out);

/// out = x in the runs whose number in `column` of the row `chosen` is not zero.
void copy_where(ConstMatrixView chosen, Index column, ConstMatrixView x, MatrixView out);

/// Every number becomes `value`.
void fill(MatrixView out, float value);

/// What lies beyond the columns of each row becomes zero.
void clear_padding(MatrixView out);

/// The only number of a 1 x 1 matrix, such as a loss.
inline float number(ConstMatrixView single) {
    return download(single).front();
}

}  // namespace hwgcn
