#pragma once

#include <cstddef>

#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {

// Batch normalisation of some columns at some rows: those of a strip, 16 that begin at `first` (8 in rows of
// 8). Sums are in double precision, first row first, and go to one number per column of the strip.

/// A pointer has a number for each column of a strip.
struct ColumnStrip {
    std::size_t first;
    RowRange rows;
};

/// sums += x
void add_columns(ConstMatrixView x, ColumnStrip strip, double* sums);

/// centred = x - means, squares += centred^2
void centre_columns(ConstMatrixView x, const float* means, ColumnStrip strip, MatrixView centred,
                    double* squares);

/// standard *= scales, out = learned * standard + shift
void standardize_columns(const float* scales, const float* learned, const float* shift, ColumnStrip strip,
                         MatrixView standard, MatrixView out);

/// sums += g, dots += g y
void add_gradients(ConstMatrixView g, ConstMatrixView y, ColumnStrip strip, double* sums, double* dots);

/// out = factors * (g - mean - y * slope), or added to it
void normalized_gradients(ConstMatrixView g, ConstMatrixView y, const float* factors, const float* mean,
                          const float* slope, ColumnStrip strip, MatrixView out, Write write);

}  // namespace hwgcn::cpu
