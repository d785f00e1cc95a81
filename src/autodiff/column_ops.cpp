#include <algorithm>
#include <cmath>
#include <numeric>

#include "autodiff/ops.hpp"
#include "linalg/cpu/elementwise_kernels.hpp"

namespace hwgcn {
namespace {

// Keeps a column of equal numbers finite.
constexpr double variance_floor = 1e-3;

// Sums over the rows of a_ik b_ik, per column k.
std::vector<double> column_dots(ConstMatrixView a, ConstMatrixView b) {
    std::vector<double> sums(a.stride(), 0.0);
    for (Index i = 0; i < a.rows; ++i) {
        const float* x = a.row(i);
        const float* y = b.row(i);
        for (std::size_t k = 0; k < sums.size(); ++k)
            sums[k] += static_cast<double>(x[k]) * static_cast<double>(y[k]);
    }
    return sums;
}

std::vector<double> column_sums(ConstMatrixView a) {
    std::vector<double> sums(a.stride(), 0.0);
    for (Index i = 0; i < a.rows; ++i) {
        for (std::size_t k = 0; k < sums.size(); ++k)
            sums[k] += static_cast<double>(a.row(i)[k]);
    }
    return sums;
}

// Shifts the columns of `in` to mean 0 and scales them to variance 1; returns the scales.
std::vector<float> standardize(ConstMatrixView in, MatrixView out) {
    std::vector<float> means;
    for (const double sum : column_sums(in))
        means.push_back(static_cast<float>(sum / in.rows));
    for (Index i = 0; i < in.rows; ++i) {
        for (std::size_t k = 0; k < means.size(); ++k)
            out.row(i)[k] = in.row(i)[k] - means[k];
    }
    std::vector<float> scales;
    for (const double square : column_dots(out, out))
        scales.push_back(static_cast<float>(1.0 / std::sqrt(square / in.rows + variance_floor)));
    for (Index i = 0; i < in.rows; ++i) {
        for (std::size_t k = 0; k < scales.size(); ++k)
            out.row(i)[k] *= scales[k];
    }
    return scales;
}

void add_to_row(const std::vector<double>& sums, MatrixView target) {
    for (std::size_t k = 0; k < sums.size(); ++k)
        target.row(0)[k] += static_cast<float>(sums[k]);
}

// target = factor (gradient - mean of it - standard * mean of gradient * standard), per column.
struct StandardizeBackward {
    ConstMatrixView standard;
    ConstMatrixView gradient;
    std::vector<double> sums;  // of the gradient
    std::vector<double> dots;  // of gradient * standard
    std::vector<float> factors;

    void run(MatrixView target, Write write) const {
        std::vector<float> mean;
        std::vector<float> slope;
        for (std::size_t k = 0; k < factors.size(); ++k) {
            mean.push_back(static_cast<float>(sums[k] / gradient.rows));
            slope.push_back(static_cast<float>(dots[k] / gradient.rows));
        }
        for (Index i = 0; i < gradient.rows; ++i) {
            const float* g = gradient.row(i);
            const float* y = standard.row(i);
            float* to = target.row(i);
            for (std::size_t k = 0; k < factors.size(); ++k) {
                const float result = factors[k] * (g[k] - mean[k] - y[k] * slope[k]);
                to[k] = write == Write::add ? to[k] + result : result;
            }
        }
    }
};

// Per block of columns of `x`: its inner product with `gradient`.
std::vector<double> block_dots(ConstMatrixView x, ConstMatrixView gradient) {
    std::vector<double> dots(static_cast<std::size_t>(x.columns / gradient.columns), 0.0);
    for (Index i = 0; i < x.rows; ++i) {
        for (Index k = 0; k < x.columns; ++k)
            dots[k / gradient.columns] +=
                static_cast<double>(x.at(i, k) * gradient.at(i, k % gradient.columns));
    }
    return dots;
}

}  // namespace

// With y the standardised columns and g the gradient, x gets s r (g - mean(g) - y mean(g y)), s being the
// learned scale and r that of the standardisation.
Variable batch_normalize(Tape& tape, Variable x, Variable scale, Variable offset) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView standard = tape.workspace().matrix(in.rows, in.columns);
    std::vector<float> factors = standardize(in, standard);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    const float* learned = tape.value(scale).row(0);
    const float* shift = tape.value(offset).row(0);
    for (Index i = 0; i < in.rows; ++i) {
        for (std::size_t k = 0; k < out.stride(); ++k)
            out.row(i)[k] = learned[k] * standard.row(i)[k] + shift[k];
    }
    for (std::size_t k = 0; k < factors.size(); ++k)
        factors[k] *= learned[k];
    return tape.result(out, {x, scale, offset}, tape.nodes(x), [=, &tape](ConstMatrixView gradient) {
        const StandardizeBackward backward{standard, gradient, column_sums(gradient),
                                           column_dots(gradient, standard), factors};
        if (tape.is_differentiable(scale)) add_to_row(backward.dots, tape.gradient_sum(scale));
        if (tape.is_differentiable(offset)) add_to_row(backward.sums, tape.gradient_sum(offset));
        if (!tape.is_differentiable(x)) return;
        const auto [target, write] = tape.gradient_target(x);
        backward.run(target, write);
    });
}

// With q = softmax(weights) and d_b the inner product of block b with the gradient, weight b gets
// q_b (d_b - sum of q d).
Variable mix_blocks(Tape& tape, Variable x, Variable weights) {
    const ConstMatrixView in = tape.value(x);
    const Index blocks = tape.value(weights).columns;
    const Index columns = in.columns / blocks;
    const MatrixView share = tape.workspace().matrix(1, blocks);
    cpu::softmax_rows(tape.value(weights), share, nullptr, {0, 1});
    const MatrixView out = tape.workspace().matrix(in.rows, columns);
    for (Index i = 0; i < in.rows; ++i) {
        std::fill_n(out.row(i), columns, 0.0F);
        for (Index k = 0; k < in.columns; ++k)
            out.at(i, k % columns) += share.at(0, k / columns) * in.at(i, k);
    }
    return tape.result(out, {x, weights}, tape.nodes(x), [=, &tape](ConstMatrixView gradient) {
        if (tape.is_differentiable(weights)) {
            const std::vector<double> dots = block_dots(in, gradient);
            const double mean = std::inner_product(dots.begin(), dots.end(), share.row(0), 0.0);
            const MatrixView target = tape.gradient_sum(weights);
            for (Index block = 0; block < blocks; ++block)
                target.at(0, block) += share.at(0, block) * static_cast<float>(dots[block] - mean);
        }
        if (!tape.is_differentiable(x)) return;
        const MatrixView target = tape.gradient_sum(x);
        for (Index i = 0; i < in.rows; ++i) {
            for (Index k = 0; k < in.columns; ++k)
                target.at(i, k) += share.at(0, k / columns) * gradient.at(i, k % columns);
        }
    });
}

}  // namespace hwgcn
