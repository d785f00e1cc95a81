#pragma once

#include <span>
#include <vector>

#include "tensor/block_sums.hpp"
#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn {

// Operations on whole rows and columns.

/// out_i = x_rows[i]
void gather_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out,
                 const ExecutionControl& control = one_thread);

struct RowSums {
    std::vector<ConstMatrixView> parts;
    MatrixView out;
};

/// out_i = factor times the sum of row rows[i] of all parts, first part first. Of several sums, which may
/// have parts in common: these are read from memory once.
void gather_row_sums(std::span<const RowSums> sums, std::span<const Index> rows, float factor,
                     const ExecutionControl& control = one_thread);

/// out_rows[i] += x_i, first row first.
void scatter_add_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out);

/// The columns `first` .. `first + count - 1` of `x` go to `out`, from its column `to` on. All rows.
void copy_columns(ConstMatrixView x, Index first, Index count, MatrixView out, Index to, Write write);

/// out = x
inline void copy(ConstMatrixView x, MatrixView out) {
    copy_columns(x, 0, x.columns, out, 0, Write::replace);
}

/// Row i of the result is factors[i] * x_i; `factors` is 1 x rows.
void scale_rows(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write);

/// Column k of the result is factors[k] * column k of `x`; `factors` is 1 x columns.
void scale_columns(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write);

/// out_i = x_i + row, which is 1 x columns.
void add_row(ConstMatrixView x, ConstMatrixView row, MatrixView out,
             const ExecutionControl& control = one_thread);

/// The sum of the rows of `x`, first row first, is added to `out`, which is 1 x columns.
void add_column_sums(ConstMatrixView x, MatrixView out, const ExecutionControl& control = one_thread,
                     const SummedRows& rows = {});

/// <a_i, b_i>, first column first, is added to number i of `out`, which is 1 x rows.
void add_row_dots(ConstMatrixView a, ConstMatrixView b, MatrixView out);

/// out = X'
void transpose(ConstMatrixView x, MatrixView out);

}  // namespace hwgcn
