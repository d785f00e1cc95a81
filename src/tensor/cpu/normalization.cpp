#include "tensor/normalization.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "base/parallel_for.hpp"
#include "tensor/cpu/normalization_kernels.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {
namespace {

constexpr std::size_t strip_width = 16;  // of floats in a line of the cache

// Some columns: whole strips, or all of a row of 8.
struct ColumnRange {
    std::size_t begin;
    std::size_t end;

    std::size_t count() const { return end - begin; }
};

// Calls body(first column of a strip, its place in the range).
template <typename Body>
void for_each_strip(ColumnRange columns, const Body& body) {
    for (std::size_t k = 0; k < columns.count(); k += strip_width)
        body(columns.begin + k, k);
}

// Calls body for ranges of columns that together make up a row of `x`, at the same time where there is enough
// to do. Blocks of rows are summed in all columns at once.
void for_column_ranges(ConstMatrixView x, const SummedRows& rows, const ExecutionControl& control,
                       const std::function<void(ColumnRange)>& body) {
    constexpr std::int64_t readings = 4;  // of each number
    const std::size_t stride = x.stride();
    if (rows.layout != nullptr) return body({0, stride});
    const bool alone = readings * static_cast<std::int64_t>(x.size()) < worth_sharing;
    parallel_for(static_cast<std::int64_t>((stride + strip_width - 1) / strip_width), 1,
                 alone ? one_thread : without_progress(control), [&](int, std::int64_t range) {
                     const auto begin = static_cast<std::size_t>(range) * strip_width;
                     body({begin, std::min(begin + strip_width, stride)});
                 });
}

// Each divided by `count`.
std::vector<float> means_of(std::span<const double> sums, double count) {
    std::vector<float> means;
    for (const double sum : sums)
        means.push_back(static_cast<float>(sum / count));
    return means;
}

// Shifts columns of `in` to mean 0; returns by what each is to be multiplied for variance 1.
std::vector<float> centre(ConstMatrixView in, ColumnRange columns, double floor,
                          const BatchNormalization& kept, const SummedRows& rows) {
    const auto count = static_cast<double>(count_rows(rows, in.rows));
    const auto sum = [&](RowRange range, std::span<double> sums) {
        for_each_strip(columns, [&](std::size_t first, std::size_t k) {
            add_columns(in, {first, range}, &sums[k]);
        });
    };
    const std::vector<float> means = means_of(sum_over_rows(rows, in.rows, columns.count(), sum), count);
    const auto shift = [&](RowRange range, std::span<double> squares) {
        for_each_strip(columns, [&](std::size_t first, std::size_t k) {
            centre_columns(in, &means[k], {first, range}, kept.standard, &squares[k]);
        });
    };
    std::vector<float> scales;
    for (const double square : sum_over_rows(rows, in.rows, columns.count(), shift)) {
        kept.variances.row(0)[columns.begin + scales.size()] = static_cast<float>(square / count);
        scales.push_back(static_cast<float>(1.0 / std::sqrt(square / count + floor)));
    }
    std::ranges::copy(means, kept.means.row(0) + columns.begin);
    return scales;
}

void add_to_row(std::span<const double> sums, MatrixView target, ColumnRange columns) {
    if (target.rows == 0) return;
    for (std::size_t k = 0; k < sums.size(); ++k)
        target.row(0)[columns.begin + k] += static_cast<float>(sums[k]);
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
                     const BatchNormalization& kept, MatrixView out, const SummedRows& rows,
                     const ExecutionControl& control) {
    for_column_ranges(x, rows, control, [&](ColumnRange columns) {
        const std::vector<float> scales = centre(x, columns, floor, kept, rows);
        const float* learned = scale.row(0) + columns.begin;
        for_each_strip(columns, [&](std::size_t first, std::size_t k) {
            standardize_columns(&scales[k], learned + k, offset.row(0) + first, {first, {0, x.rows}},
                                kept.standard, out);
        });
        for (std::size_t k = 0; k < columns.count(); ++k)
            kept.factors.row(0)[columns.begin + k] = scales[k] * learned[k];
    });
}

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

// With y the standardised columns and g the gradient, x gets s r (g - mean(g) - y mean(g y)), s being the
// learned scale and r that of the standardisation.
void batch_normalize_gradients(const BatchNormalization& kept, ConstMatrixView gradient,
                               const NormalizationGradients& out, const SummedRows& rows,
                               const ExecutionControl& control) {
    const auto count = static_cast<double>(count_rows(rows, gradient.rows));
    for_column_ranges(gradient, rows, control, [&](ColumnRange columns) {
        const std::size_t numbers = columns.count();
        const auto sum = [&](RowRange range, std::span<double> both) {
            for_each_strip(columns, [&](std::size_t first, std::size_t k) {
                add_gradients(gradient, kept.standard, {first, range}, &both[k], &both[numbers + k]);
            });
        };
        const std::vector<double> both = sum_over_rows(rows, gradient.rows, 2 * numbers, sum);
        const std::span sums(both.data(), numbers), dots(both.data() + numbers, numbers);
        add_to_row(dots, out.scale, columns);
        add_to_row(sums, out.offset, columns);
        if (out.x.rows == 0) return;
        const std::vector<float> mean = means_of(sums, count);
        const std::vector<float> slope = means_of(dots, count);
        for_each_strip(columns, [&](std::size_t first, std::size_t k) {
            normalized_gradients(gradient, kept.standard, kept.factors.row(0) + first, &mean[k], &slope[k],
                                 {first, {0, gradient.rows}}, out.x, out.write);
        });
    });
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
