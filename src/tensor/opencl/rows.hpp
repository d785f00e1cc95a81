#pragma once

#include "tensor/opencl/device.hpp"
#include "tensor/rows.hpp"

// The operations of tensor/rows.hpp on a device.
namespace hwgcn::gpu {

void gather_rows(Device& device, ConstMatrixView x, std::span<const Index> rows, MatrixView out);
void gather_row_sums(Device& device, std::span<const RowSums> sums, std::span<const Index> rows,
                     float factor);
void scatter_add_rows(Device& device, ConstMatrixView x, std::span<const Index> rows, MatrixView out);
void copy_columns(Device& device, ConstMatrixView x, Index first, Index count, MatrixView out, Index to,
                  Write write);
void scale_rows(Device& device, ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write);
void scale_columns(Device& device, ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write);
void add_row(Device& device, ConstMatrixView x, ConstMatrixView row, MatrixView out);
void add_column_sums(Device& device, ConstMatrixView x, MatrixView out, const SummedRows& rows);
void add_row_dots(Device& device, ConstMatrixView a, ConstMatrixView b, MatrixView out);
void transpose(Device& device, ConstMatrixView x, MatrixView out);

}  // namespace hwgcn::gpu
