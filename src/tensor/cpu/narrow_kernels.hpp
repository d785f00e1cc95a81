#pragma once

#include <cstddef>

#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {

// The inner loops of training: products of sparse and dense matrices with few columns (8 to 64), in single
// precision. One row of the result stays in registers while the entries of a sparse row pass by. Every number
// of a result is added up in an order that depends only on the shapes, and multiplication and addition are
// never fused, so the bits of a result do not depend on the processor.

/// out = M B in `rows`. `b` and `out` have the same number of columns; the views must not overlap.
void sparse_product(const CsrMatrix<float>& m, ConstMatrixView b, MatrixView out, RowRange rows, Write write);

/// The same with only some of M's entries.
void kept_sparse_product(const CsrMatrix<float>& m, const KeptEntries& kept, ConstMatrixView b,
                         MatrixView out, RowRange rows, Write write);

/// out += M' G, from the rows `rows` of M and G.
void add_transposed_sparse_product(const CsrMatrix<float>& m, ConstMatrixView g, MatrixView out,
                                   RowRange rows);
void add_transposed_kept_sparse_product(const CsrMatrix<float>& m, const KeptEntries& kept, ConstMatrixView g,
                                        MatrixView out, RowRange rows);

/// out = A B in `rows`, all dense. Products that are wide on both sides have kernels of their own:
/// dense_kernels.hpp.
void dense_product(ConstMatrixView a, ConstMatrixView b, MatrixView out, RowRange rows, Write write);

/// out += A' G in the rows that belong to the `columns` of A. The rows of A and G are summed in `pieces`,
/// which are then added up.
void add_transposed_dense_product(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange columns,
                                  Index pieces);

}  // namespace hwgcn::cpu
