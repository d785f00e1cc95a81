#include "tensor/pair_losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "tensor/cpu/elementwise_kernels.hpp"
#include "tensor/factor_value.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn {
namespace {

// Sums term(k) for k = 0..count-1 in eight partial sums, which compilers turn into vectors without changing
// the order; count is a multiple of 8.
template <typename Term>
float sum_in_lanes(std::size_t count, const Term& term) {
    std::array<float, 8> lanes{};
    for (std::size_t k = 0; k < count; k += 8) {
        for (std::size_t lane = 0; lane < 8; ++lane)
            lanes[lane] += term(k + lane);
    }
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

float dot(const float* a, const float* b, std::size_t count) {
    return sum_in_lanes(count, [=](std::size_t k) { return a[k] * b[k]; });
}

float squared_distance(const float* a, const float* b, std::size_t count) {
    return sum_in_lanes(count, [=](std::size_t k) { return (a[k] - b[k]) * (a[k] - b[k]); });
}

void add_scaled(float factor, const float* from, float* to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        to[k] += factor * from[k];
}

// to += factor (a - b)
void add_difference(float factor, const float* a, const float* b, float* to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        to[k] += factor * (a[k] - b[k]);
}

std::int64_t work_of(const CsrMatrix<float>& weights, ConstMatrixView x) {
    return weights.entries() * static_cast<std::int64_t>(x.stride());
}

}  // namespace

void neighbor_distance(const CsrMatrix<float>& weights, double share, ConstMatrixView x, MatrixView loss,
                       const ExecutionControl& control) {
    std::vector<double> row_sums(static_cast<std::size_t>(x.rows));
    for_row_ranges(x.rows, work_of(weights, x), control, [&](RowRange rows) {
        for (Index i = rows.begin; i < rows.end; ++i) {
            const SparseRow<float> row = weights.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                row_sums[i] += static_cast<double>(
                    row.values[e] * squared_distance(x.row(i), x.row(row.indices[e]), x.stride()));
        }
    });
    loss.at(0, 0) = static_cast<float>(std::accumulate(row_sums.begin(), row_sums.end(), 0.0) * share);
}

void neighbor_distance_gradient(const CsrMatrix<float>& weights, const Factor& factor, ConstMatrixView x,
                                MatrixView out, const ExecutionControl& control) {
    const float times = value_of(factor);
    for_row_ranges(x.rows, work_of(weights, x), control, [&](RowRange rows) {
        for (Index i = rows.begin; i < rows.end; ++i) {
            const SparseRow<float> row = weights.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                add_difference(times * row.values[e], x.row(i), x.row(row.indices[e]), out.row(i),
                               x.stride());
        }
    });
}

// With d = |x_i - x_j| < margin the gradient of x_i is -2 (margin - d) (x_i - x_j) / d, and x_j has its
// opposite.
void crowding(std::span<const RowPair> pairs, float margin, ConstMatrixView x, MatrixView slopes,
              MatrixView loss) {
    const double share = pairs.empty() ? 0.0 : 1.0 / static_cast<double>(pairs.size());
    float* slope = slopes.row(0);
    double sum = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [i, j] = pairs[k];
        const float distance = std::sqrt(squared_distance(x.row(i), x.row(j), x.stride()));
        const float missing = std::max(0.0F, margin - distance);
        sum += static_cast<double>(missing * missing);
        slope[k] = distance > 0.0F ? -2.0F * missing / distance : 0.0F;
    }
    loss.at(0, 0) = static_cast<float>(sum * share);
}

void crowding_gradient(std::span<const RowPair> pairs, ConstMatrixView slopes, const Factor& factor,
                       ConstMatrixView x, MatrixView out) {
    const float times = value_of(factor);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const float own = slopes.row(0)[k];
        if (own == 0.0F) continue;
        const float slope = times * own;
        const auto [i, j] = pairs[k];
        add_difference(slope, x.row(i), x.row(j), out.row(i), x.stride());
        add_difference(slope, x.row(j), x.row(i), out.row(j), x.stride());
    }
}

// With y = sign <x, c> and e = exp(-|y|) the loss of a pair is max(-y, 0) + log(1 + e), and its derivative
// -sigmoid(-y), which is -e / (1 + e) for y >= 0 and -1 / (1 + e) otherwise: nothing overflows.
void context_loss(std::span<const ContextPair> pairs, ConstMatrixView x, ConstMatrixView c, MatrixView slopes,
                  MatrixView loss) {
    std::vector<float> exponentials(slopes.stride());
    float* slope = slopes.row(0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const ContextPair& pair = pairs[k];
        slope[k] = pair.sign * dot(x.row(pair.node), c.row(pair.context), x.stride());
        exponentials[k] = -std::abs(slope[k]);
    }
    cpu::exponentials(exponentials.data(), exponentials.data(), exponentials.size());
    double sum = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const float y = slope[k];
        const float e = exponentials[k];
        sum += static_cast<double>(std::max(-y, 0.0F)) + std::log1p(static_cast<double>(e));
        slope[k] = -pairs[k].sign * (y >= 0.0F ? e : 1.0F) / (1.0F + e);
    }
    loss.at(0, 0) = static_cast<float>(sum);
}

void context_loss_gradient(std::span<const ContextPair> pairs, ConstMatrixView slopes, const Factor& factor,
                           ContextSide side, ConstMatrixView other, MatrixView out) {
    const float times = value_of(factor);
    const float* slope = slopes.row(0);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [node, context, sign] = pairs[k];
        const bool to_node = side == ContextSide::nodes;
        add_scaled(times * slope[k], other.row(to_node ? context : node), out.row(to_node ? node : context),
                   other.stride());
    }
}

}  // namespace hwgcn
