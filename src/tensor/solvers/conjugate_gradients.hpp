#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

#include "tensor/block_sums.hpp"

namespace hwgcn {

/// Several columns in double precision, row by row.
struct Columns {
    Index rows = 0;
    Index count = 0;
    std::vector<double> numbers;

    Columns() = default;
    Columns(Index height, Index width)
        : rows(height), count(width), numbers(static_cast<std::size_t>(height) * width) {}

    std::span<double> row(Index i) {
        return {numbers.data() + static_cast<std::size_t>(i) * count, static_cast<std::size_t>(count)};
    }
    std::span<const double> row(Index i) const {
        return {numbers.data() + static_cast<std::size_t>(i) * count, static_cast<std::size_t>(count)};
    }
};

struct SolverOptions {
    double tolerance = 1e-6;  ///< |b - A x| <= tolerance |b|, for every column
    int iterations = 10000;
};

struct SolverResult {
    int iterations = 0;
    double residual = 0;  ///< the worst |b - A x| / |b|
    bool converged = false;
};

/// out = A x
using Apply = std::function<void(const Columns& x, Columns& out)>;

/// Solves A X = B, A symmetric and positive definite, for all columns at once, starting from `x`. `inverse`
/// is the inverse of A's diagonal or of something near it. Sums are added in the order of the rows, or block
/// by block where `rows` has blocks; all who have rows then solve for them together. Throws
/// Interrupted.
SolverResult conjugate_gradients(const Apply& apply, std::span<const double> inverse, const Columns& b,
                                 Columns& x, const SolverOptions& options, const ExecutionControl& control,
                                 const SummedRows& rows = {});

/// The sum over the rows of a_ic b_ic, per column.
std::vector<double> column_products(const Columns& a, const Columns& b, const SummedRows& rows = {});

/// The largest of |r| / |b| over the columns, given their squares; what is not finite is told.
double worst_residual(std::span<const double> squares_of_r, std::span<const double> squares_of_b);

}  // namespace hwgcn
