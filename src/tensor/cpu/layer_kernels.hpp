#pragma once

#include "tensor/layer_normalization.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {

// Layer normalisation of some rows. A sum over a row has 16 parts (8 in rows of 8), column k going to part
// k mod 16, which are then added in pairs: the same order on every instruction set.

/// As hwgcn::layer_normalize.
void layer_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                     MatrixView out, RowRange rows);

/// The gradients of scale and offset are added to the rows 0 and 1 of `sums`, first row of the gradient
/// first; that of x goes to `out`, unless that has no rows.
void layer_normalize_gradients(const LayerNormalization& layer, ConstMatrixView gradient, MatrixView sums,
                               MatrixView out, Write write, RowRange rows);

}  // namespace hwgcn::cpu
