#include "weights/active_factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace hwgcn {
namespace {

// A pivot below this share of the diagonal is rounding noise: the row adds no new direction.
constexpr double smallest_pivot = 1e-12;

}  // namespace

void ActiveFactor::grow() {
    const std::size_t new_stride = std::max<std::size_t>(32, 2 * stride_);
    std::vector<double> grown(new_stride * new_stride);
    for (std::size_t k = 0; k < size_; ++k) {
        std::copy(column(k) + k, column(k) + size_,
                  grown.begin() + static_cast<std::ptrdiff_t>(k * new_stride + k));
    }
    lower_ = std::move(grown);
    stride_ = new_stride;
    inverse_diagonal_.resize(stride_);
    solved_b_.resize(stride_);
    solved_ones_.resize(stride_);
}

// With L l = M(new, .): the new last row of L is (l, p), p = sqrt(M(new,new) - l'l), and L^-1 b grows by (b -
// l'L^-1 b) / p.
bool ActiveFactor::append(std::vector<double>& row, double diagonal, double b) {
    if (size_ == stride_) grow();
    cpu::solve_lower(factor(), row.data());
    double square = diagonal, rest_of_b = b, rest_of_one = 1.0;
    for (std::size_t k = 0; k < size_; ++k) {
        square -= row[k] * row[k];
        rest_of_b -= row[k] * solved_b_[k];
        rest_of_one -= row[k] * solved_ones_[k];
    }
    if (!(square > smallest_pivot * diagonal)) {
        cpu::solve_lower_transposed(factor(), row.data());
        return false;
    }
    const double pivot = std::sqrt(square);
    for (std::size_t k = 0; k < size_; ++k)
        column(k)[size_] = row[k];
    column(size_)[size_] = pivot;
    inverse_diagonal_[size_] = 1.0 / pivot;
    solved_b_[size_] = rest_of_b / pivot;
    solved_ones_[size_] = rest_of_one / pivot;
    ++size_;
    return true;
}

// Deleting row r of L leaves L L' short of w w' in the rows behind it, w being the deleted column: put it
// back. L^-1 b and L^-1 1 are like two more rows of L, so their entries r belong to w.
void ActiveFactor::remove(std::size_t r) {
    scratch_.assign(column(r) + r + 1, column(r) + size_);
    std::array<cpu::SolvedRow, 2> solved{
        {{solved_b_.data(), solved_b_[r]}, {solved_ones_.data(), solved_ones_[r]}}};
    for (std::size_t k = 0; k < r; ++k)
        std::copy(column(k) + r + 1, column(k) + size_, column(k) + r);
    for (std::size_t k = r + 1; k < size_; ++k) {
        std::copy(column(k) + k, column(k) + size_, column(k - 1) + k - 1);
        solved_b_[k - 1] = solved_b_[k];
        solved_ones_[k - 1] = solved_ones_[k];
    }
    --size_;
    cpu::add_rank_one(factor(), r, scratch_.data(), solved);
}

void ActiveFactor::minimise(std::vector<double>& v) {
    v.assign(solved_b_.data(), solved_b_.data() + size_);
    cpu::solve_lower_transposed(factor(), v.data());
}

// v = M^-1 (b + mu 1), with mu from sum v = 1'M^-1 b + mu 1'M^-1 1 = 1; both products are inner products of
// L^-1 b and L^-1 1.
void ActiveFactor::minimise_with_unit_sum(std::vector<double>& v) {
    double sum_b = 0, sum_ones = 0;
    for (std::size_t k = 0; k < size_; ++k) {
        sum_b += solved_ones_[k] * solved_b_[k];
        sum_ones += solved_ones_[k] * solved_ones_[k];
    }
    const double mu = (1.0 - sum_b) / sum_ones;
    v.resize(size_);
    for (std::size_t k = 0; k < size_; ++k)
        v[k] = solved_b_[k] + mu * solved_ones_[k];
    cpu::solve_lower_transposed(factor(), v.data());
    // The sum is one up to rounding; make it so.
    const double sum = std::accumulate(v.begin(), v.end(), 0.0);
    for (double& value : v)
        value /= sum;
}

}  // namespace hwgcn
