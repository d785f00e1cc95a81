#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hwgcn/linalg/csr_matrix.hpp"
#include "hwgcn/linalg/dense_matrix.hpp"

namespace hwgcn::cpu {

// The inner loops of training: products of sparse and dense matrices with few columns (8 to 64), in single
// precision. One row of the result stays in registers while the entries of a sparse row pass by. Every number
// of a result is added up in an order that depends only on the shapes, and multiplication and addition are
// never fused, so the bits of a result do not depend on the processor.

/// Whether a result replaces what is there or is added to it.
enum class Write { replace, add };

/// A range of rows, so that several threads can share a product.
struct RowRange {
    Index begin;
    Index end;
};

/// Which entries of a sparse matrix take part: entry e of row i does when bit `origin[i] + e` is set; those
/// are multiplied by `scale`.
struct KeptEntries {
    std::span<const std::uint64_t> bits;  ///< one word more than the bits need
    std::span<const std::int64_t> origin;
    float scale;
};

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

/// out = A B in `rows`, all dense.
void dense_product(ConstMatrixView a, ConstMatrixView b, MatrixView out, RowRange rows, Write write);

/// out += A' G, from the rows `rows` of A and G.
void add_transposed_dense_product(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange rows);

/// out = scale * x where the bit is set, 0 elsewhere; number k has bit `first_bit` + k. Both `first_bit` and
/// `count` are multiples of 8.
void keep_numbers(const float* x, const std::uint64_t* bits, std::size_t first_bit, float scale, float* out,
                  std::size_t count, Write write);

/// out = gradient where y > 0, 0 elsewhere; count is a multiple of 8.
void keep_where_positive(const float* y, const float* gradient, float* out, std::size_t count, Write write);

/// Adam's moving averages and where the step size stands.
struct AdamStep {
    float rate;        ///< learning rate / (1 - beta1^t)
    float root_scale;  ///< 1 / sqrt(1 - beta2^t)
    float beta1, beta2, epsilon;
    float decay;  ///< added to the gradient: decay * value
};
void adam_step(const AdamStep& step, const float* gradient, float* value, float* mean, float* square,
               std::size_t count);

/// exp(x), for x up to 88; below -87 it is zero. Within 2 ulp; count is a multiple of 8.
void exponentials(const float* x, float* out, std::size_t count);

/// Each row of `scores` becomes exp(x - max) / sum over its columns; the logarithm of that sum plus max goes
/// to `log_sums`, one per row, unless it is null. May work in place.
void softmax_rows(ConstMatrixView scores, MatrixView out, double* log_sums, RowRange rows);

}  // namespace hwgcn::cpu
