#include "tensor/normalization.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace hwgcn::cpu {
namespace {

// Sums over the rows of a_ik b_ik, per column k.
std::vector<double> column_dots(ConstMatrixView a, ConstMatrixView b, const SummedRows& rows) {
    return sum_over_rows(rows, a.rows, a.stride(), [&](RowRange range, std::span<double> sums) {
        for (Index i = range.begin; i < range.end; ++i) {
            const float* x = a.row(i);
            const float* y = b.row(i);
            for (std::size_t k = 0; k < sums.size(); ++k)
                sums[k] += static_cast<double>(x[k]) * static_cast<double>(y[k]);
        }
    });
}

std::vector<double> column_sums(ConstMatrixView a, const SummedRows& rows) {
    return sum_over_rows(rows, a.rows, a.stride(), [&](RowRange range, std::span<double> sums) {
        for (Index i = range.begin; i < range.end; ++i) {
            for (std::size_t k = 0; k < sums.size(); ++k)
                sums[k] += static_cast<double>(a.row(i)[k]);
        }
    });
}

// Shifts the columns of `in` to mean 0 and scales them to variance 1; returns the scales.
std::vector<float> standardize(ConstMatrixView in, double floor, const BatchNormalization& kept,
                               const SummedRows& rows) {
    const auto count = static_cast<double>(count_rows(rows, in.rows));
    const MatrixView out = kept.standard;
    std::vector<float> means;
    for (const double sum : column_sums(in, rows))
        means.push_back(static_cast<float>(sum / count));
    for (Index i = 0; i < in.rows; ++i) {
        for (std::size_t k = 0; k < means.size(); ++k)
            out.row(i)[k] = in.row(i)[k] - means[k];
    }
    std::vector<float> scales;
    for (const double square : column_dots(out, out, rows)) {
        kept.variances.row(0)[scales.size()] = static_cast<float>(square / count);
        scales.push_back(static_cast<float>(1.0 / std::sqrt(square / count + floor)));
    }
    std::ranges::copy(means, kept.means.row(0));
    for (Index i = 0; i < in.rows; ++i) {
        for (std::size_t k = 0; k < scales.size(); ++k)
            out.row(i)[k] *= scales[k];
    }
    return scales;
}

void add_to_row(const std::vector<double>& sums, MatrixView target) {
    if (target.rows == 0) return;
    for (std::size_t k = 0; k < sums.size(); ++k)
        target.row(0)[k] += static_cast<float>(sums[k]);
}

// Per block of columns of `x`: its inner product with `gradient`.
std::vector<double> block_dots(ConstMatrixView x, ConstMatrixView gradient, const SummedRows& rows) {
    const auto blocks = static_cast<std::size_t>(x.columns / gradient.columns);
    return sum_over_rows(rows, x.rows, blocks, [&](RowRange range, std::span<double> dots) {
        for (Index i = range.begin; i < range.end; ++i) {
            for (Index k = 0; k < x.columns; ++k)
                dots[k / gradient.columns] +=
                    static_cast<double>(x.at(i, k) * gradient.at(i, k % gradient.columns));
        }
    });
}

}  // namespace

void batch_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, double floor,
                     const BatchNormalization& kept, MatrixView out, const SummedRows& rows) {
    const std::vector<float> scales = standardize(x, floor, kept, rows);
    const float* learned = scale.row(0);
    const float* shift = offset.row(0);
    for (Index i = 0; i < x.rows; ++i) {
        for (std::size_t k = 0; k < out.stride(); ++k)
            out.row(i)[k] = learned[k] * kept.standard.row(i)[k] + shift[k];
    }
    for (std::size_t k = 0; k < scales.size(); ++k)
        kept.factors.row(0)[k] = scales[k] * learned[k];
}

// With y the standardised columns and g the gradient, x gets s r (g - mean(g) - y mean(g y)), s being the
// learned scale and r that of the standardisation.
void fixed_normalization(ConstMatrixView means, ConstMatrixView variances, ConstMatrixView scale,
                         ConstMatrixView offset, double floor, MatrixView factors, MatrixView addends) {
    for (Index k = 0; k < means.columns; ++k) {
        const double factor =
            static_cast<double>(scale.at(0, k)) / std::sqrt(static_cast<double>(variances.at(0, k)) + floor);
        factors.at(0, k) = static_cast<float>(factor);
        addends.at(0, k) = static_cast<float>(static_cast<double>(offset.at(0, k)) -
                                              static_cast<double>(means.at(0, k)) * factor);
    }
}

void batch_normalize_gradients(const BatchNormalization& kept, ConstMatrixView gradient,
                               const NormalizationGradients& out, const SummedRows& rows) {
    const auto count = static_cast<double>(count_rows(rows, gradient.rows));
    const std::vector<double> sums = column_sums(gradient, rows);
    const std::vector<double> dots = column_dots(gradient, kept.standard, rows);
    add_to_row(dots, out.scale);
    add_to_row(sums, out.offset);
    if (out.x.rows == 0) return;
    std::vector<float> mean;
    std::vector<float> slope;
    for (std::size_t k = 0; k < sums.size(); ++k) {
        mean.push_back(static_cast<float>(sums[k] / count));
        slope.push_back(static_cast<float>(dots[k] / count));
    }
    const float* factors = kept.factors.row(0);
    for (Index i = 0; i < gradient.rows; ++i) {
        const float* g = gradient.row(i);
        const float* y = kept.standard.row(i);
        float* to = out.x.row(i);
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const float result = factors[k] * (g[k] - mean[k] - y[k] * slope[k]);
            to[k] = out.write == Write::add ? to[k] + result : result;
        }
    }
}

// With d_b the inner product of block b with the gradient, weight b gets share_b (d_b - sum of share d).
void add_mixing_gradient(ConstMatrixView x, ConstMatrixView share, ConstMatrixView gradient, MatrixView out,
                         const SummedRows& rows) {
    const std::vector<double> dots = block_dots(x, gradient, rows);
    const double mean = std::inner_product(dots.begin(), dots.end(), share.row(0), 0.0);
    for (Index block = 0; block < share.columns; ++block)
        out.at(0, block) += share.at(0, block) * static_cast<float>(dots[block] - mean);
}

}  // namespace hwgcn::cpu
