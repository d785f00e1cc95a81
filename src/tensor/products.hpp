#pragma once

#include "hwgcn/base/run_control.hpp"

#include "tensor/block_sums.hpp"
#include "tensor/operands.hpp"

namespace hwgcn {

// Whole products, shared among threads where that pays. The bits do not depend on the number of threads: each
// row of a result is one thread's, and sums over rows are cut into pieces by their size alone, or by blocks.

/// out = M B. With `kept`, only those entries of M take part.
void multiply(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b, MatrixView out,
              Write write, const ExecutionControl& control);

/// out += M' G.
void add_transposed_product(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView g,
                            MatrixView out, const ExecutionControl& control, const SummedRows& rows = {});

/// out = A B.
void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write,
              const ExecutionControl& control);

/// out += A' G.
void add_transposed_product(ConstMatrixView a, ConstMatrixView g, MatrixView out,
                            const ExecutionControl& control, const SummedRows& rows = {});

}  // namespace hwgcn
