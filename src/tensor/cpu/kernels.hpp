#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn::cpu {

// The inner loops of weight learning. Each is compiled for several instruction sets and the best one that the
// processor has is chosen at run time. All of them add in the same order (eight partial sums, element e into
// sum e mod 8, then a fixed tree; no fused multiply-add), so the bits of a result do not depend on the
// processor.

/// out[k] = <row rows[k] of matrix, dense>, in double precision.
void dot_rows(const CsrMatrix<float>& matrix, std::span<const Index> rows, const double* dense, double* out);

/// The same in one pass with sum += each of the rows. `dense`, `out` and `sum` must not overlap.
void dot_and_add_rows(const CsrMatrix<float>& matrix, std::span<const Index> rows, const double* dense,
                      double* out, double* sum);

/// A lower triangular factor L, stored by columns: L(i,k) = data[k * stride + i] for i >= k, and 1 / L(k,k).
struct TriangularFactor {
    double* data;
    double* inverse_diagonal;
    std::size_t stride;
    std::size_t size;

    double* column(std::size_t k) const { return data + k * stride; }
};

/// Solves L y = b in place.
void solve_lower(const TriangularFactor& factor, double* b);

/// Solves L' y = b in place.
void solve_lower_transposed(const TriangularFactor& factor, double* b);

/// A solution of L y = b that is to follow a change of L, and its number next to w.
struct SolvedRow {
    double* y;
    double w;
};

/// Changes the trailing block of L from row and column `begin` on so that L L' grows by w w' there, and every
/// solved row with it. `w` has size - begin entries and is used up.
void add_rank_one(const TriangularFactor& factor, std::size_t begin, double* w,
                  std::span<SolvedRow> solved_rows);

}  // namespace hwgcn::cpu
