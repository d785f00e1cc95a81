#include "autodiff/pair_ops.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "linalg/cpu/elementwise_kernels.hpp"

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

MatrixView single_number(Tape& tape, double value) {
    const MatrixView out = tape.workspace().matrix(1, 1);
    out.at(0, 0) = static_cast<float>(value);
    return out;
}

// One number per pair, and whole vectors of them.
std::vector<float> number_per_pair(std::size_t pairs) {
    return std::vector<float>((pairs + 7) / 8 * 8);
}

std::int64_t work_of(const CsrMatrix<float>& weights, ConstMatrixView x) {
    return weights.entries() * static_cast<std::int64_t>(x.stride());
}

}  // namespace

// The gradient of x_i is 4 sum_j w_ij (x_i - x_j) / sum w: row by row, because w_ij = w_ji.
Variable neighbor_distance(Tape& tape, const CsrMatrix<float>& weights, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const double total = std::accumulate(weights.values.begin(), weights.values.end(), 0.0);
    const double scale = total > 0 ? 1.0 / total : 0.0;
    std::vector<double> row_sums(static_cast<std::size_t>(in.rows));
    for_row_ranges(in.rows, work_of(weights, in), tape.control(), [&](cpu::RowRange rows) {
        for (Index i = rows.begin; i < rows.end; ++i) {
            const SparseRow<float> row = weights.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                row_sums[i] += static_cast<double>(
                    row.values[e] * squared_distance(in.row(i), in.row(row.indices[e]), in.stride()));
        }
    });
    const double sum = std::accumulate(row_sums.begin(), row_sums.end(), 0.0);
    auto backward = [&tape, &weights, x, in, scale](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        const float factor = gradient.at(0, 0) * static_cast<float>(4.0 * scale);
        for_row_ranges(in.rows, work_of(weights, in), tape.control(), [&](cpu::RowRange rows) {
            for (Index i = rows.begin; i < rows.end; ++i) {
                const SparseRow<float> row = weights.row(i);
                for (std::size_t e = 0; e < row.size(); ++e)
                    add_difference(factor * row.values[e], in.row(i), in.row(row.indices[e]), target.row(i),
                                   in.stride());
            }
        });
    };
    return tape.result(single_number(tape, sum * scale), {x}, {}, std::move(backward));
}

// With d = |x_i - x_j| < margin the gradient of x_i is -2 (margin - d) (x_i - x_j) / d, and x_j has its
// opposite.
Variable crowding(Tape& tape, std::vector<RowPair> pairs, float margin, Variable x) {
    const ConstMatrixView in = tape.value(x);
    std::vector<float> slopes = number_per_pair(pairs.size());
    const double scale = pairs.empty() ? 0.0 : 1.0 / static_cast<double>(pairs.size());
    double sum = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto [i, j] = pairs[k];
        const float distance = std::sqrt(squared_distance(in.row(i), in.row(j), in.stride()));
        const float missing = std::max(0.0F, margin - distance);
        sum += static_cast<double>(missing * missing);
        slopes[k] = distance > 0.0F ? -2.0F * missing / distance : 0.0F;
    }
    auto backward = [&tape, pairs = std::move(pairs), x, in, slopes = std::move(slopes),
                     scale](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        const float factor = gradient.at(0, 0) * static_cast<float>(scale);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            if (slopes[k] == 0.0F) continue;
            const float slope = factor * slopes[k];
            const auto [i, j] = pairs[k];
            add_difference(slope, in.row(i), in.row(j), target.row(i), in.stride());
            add_difference(slope, in.row(j), in.row(i), target.row(j), in.stride());
        }
    };
    return tape.result(single_number(tape, sum * scale), {x}, {}, std::move(backward));
}

// With y = sign <x, c> and e = exp(-|y|) the loss of a pair is max(-y, 0) + log(1 + e), and its derivative
// -sigmoid(-y), which is -e / (1 + e) for y >= 0 and -1 / (1 + e) otherwise: nothing overflows.
Variable context_loss(Tape& tape, std::vector<ContextPair> pairs, Variable x, Variable c) {
    const ConstMatrixView nodes = tape.value(x);
    const ConstMatrixView contexts = tape.value(c);
    std::vector<float> exponentials = number_per_pair(pairs.size());
    std::vector<float> slopes = number_per_pair(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const ContextPair& pair = pairs[k];
        slopes[k] = pair.sign * dot(nodes.row(pair.node), contexts.row(pair.context), nodes.stride());
        exponentials[k] = -std::abs(slopes[k]);
    }
    cpu::exponentials(exponentials.data(), exponentials.data(), exponentials.size());
    double sum = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const float y = slopes[k];
        const float e = exponentials[k];
        sum += static_cast<double>(std::max(-y, 0.0F)) + std::log1p(static_cast<double>(e));
        slopes[k] = -pairs[k].sign * (y >= 0.0F ? e : 1.0F) / (1.0F + e);
    }
    auto backward = [&tape, pairs = std::move(pairs), x, c, nodes, contexts,
                     slopes = std::move(slopes)](ConstMatrixView gradient) {
        const float factor = gradient.at(0, 0);
        if (tape.is_differentiable(x)) {
            const MatrixView target = tape.gradient_sum(x);
            for (std::size_t k = 0; k < pairs.size(); ++k)
                add_scaled(factor * slopes[k], contexts.row(pairs[k].context), target.row(pairs[k].node),
                           nodes.stride());
        }
        if (tape.is_differentiable(c)) {
            const MatrixView target = tape.gradient_sum(c);
            for (std::size_t k = 0; k < pairs.size(); ++k)
                add_scaled(factor * slopes[k], nodes.row(pairs[k].node), target.row(pairs[k].context),
                           nodes.stride());
        }
    };
    return tape.result(single_number(tape, sum), {x, c}, {}, std::move(backward));
}

}  // namespace hwgcn
