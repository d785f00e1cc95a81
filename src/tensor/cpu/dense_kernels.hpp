#pragma once

#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {

// Products of dense matrices that are wide on both sides (64 columns or more), in single precision. A tile of
// the result stays in registers while a panel of one operand passes by from the first-level cache and the
// other one from the second level.
//
// Every number of a result is one chain of fused multiply-adds, fma(a, b, sum), in ascending order of the
// inner index, starting from zero or from what is there. A fused multiply-add is rounded once, so its bits do
// not depend on the processor: those that lack it compute it from double precision. How the matrices are cut
// into tiles, panels and blocks changes no chain, and may differ between instruction sets.

/// B in the order in which `packed_product` reads it; `packed` has room for b.size() numbers.
void pack(ConstMatrixView b, float* packed);

/// out = A B in `rows`, B being packed.
void packed_product(ConstMatrixView a, const float* packed, MatrixView out, RowRange rows, Write write);

/// out += A' G, from the rows `rows` of A and G.
void add_transposed_wide_product(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange rows);

}  // namespace hwgcn::cpu
