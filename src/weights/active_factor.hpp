#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/cpu/kernels.hpp"

namespace hwgcn {

/// Minimises 1/2 v'Mv - b'v, alone or with sum v = 1, for a positive definite matrix M that grows and shrinks
/// by one row and column at a time. Keeps the Cholesky factor L of M, L^-1 b and L^-1 1: a solve costs
/// one back substitution.
class ActiveFactor {
  public:
    void clear() { size_ = 0; }

    /// Appends the row (M(new, 0..size), M(new, new)) with b(new). `row` is used up. Returns false, and
    /// changes nothing, where the new row depends on the others up to rounding.
    bool append(std::vector<double>& row, double diagonal, double b);

    /// Removes one row and column; those behind it move up.
    void remove(std::size_t position);

    /// v = M^-1 b.
    void minimise(std::vector<double>& v);

    /// The minimiser among the v whose sum is one.
    void minimise_with_unit_sum(std::vector<double>& v);

  private:
    cpu::TriangularFactor factor() { return {lower_.data(), inverse_diagonal_.data(), stride_, size_}; }
    double* column(std::size_t k) { return lower_.data() + k * stride_; }
    void grow();

    std::size_t size_ = 0;
    std::size_t stride_ = 0;
    std::vector<double> lower_;  // L by columns
    std::vector<double> inverse_diagonal_;
    std::vector<double> solved_b_;     // L^-1 b
    std::vector<double> solved_ones_;  // L^-1 1
    std::vector<double> scratch_;
};

}  // namespace hwgcn
