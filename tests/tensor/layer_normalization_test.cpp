#include "tensor/layer_normalization.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/transfer.hpp"
#include "tensor/wide_matrices.hpp"

namespace hwgcn::layer_normalization_test {
namespace {

using testing::random_numbers;
using testing::same_bits_everywhere;

// In rows of 8, of 16 and longer, with and without padding; the last one is shared among threads.
struct Shape {
    Index rows, columns;
};
constexpr Shape shapes[] = {{3, 1}, {4, 5}, {4, 8}, {1, 9}, {3, 16}, {5, 40}, {6, 64}, {3, 100}, {8300, 128}};

// The mean, and the inverse of the standard deviation, of a row.
struct Moments {
    double mean, factor;
};
Moments moments(const DenseMatrix& x, Index i) {
    double sum = 0, squares = 0;
    for (Index j = 0; j < x.columns(); ++j)
        sum += static_cast<double>(x.at(i, j)) / x.columns();
    for (Index j = 0; j < x.columns(); ++j)
        squares += std::pow(static_cast<double>(x.at(i, j)) - sum, 2) / x.columns();
    return {sum, 1.0 / std::sqrt(squares + 1e-5)};
}

TEST(LayerNormalization, StandardizesEachRowAndAppliesTheLearnedScaleAndOffset) {
    for (const auto [rows, columns] : shapes) {
        DenseMatrix x = random_numbers(rows, columns, 1, 3.0);
        for (Index j = 0; j < columns; ++j)
            x.at(0, j) += 20.0F;
        const DenseMatrix scale = random_numbers(1, columns, 2);
        const DenseMatrix offset = random_numbers(1, columns, 3);
        const DenseMatrix y = same_bits_everywhere([&](int threads) {
            DenseMatrix kept(2, rows), out(rows, columns);
            layer_normalize(x, scale, offset, kept, out, {threads});
            return out;
        });
        for (Index i = 0; i < rows; ++i) {
            const auto [mean, factor] = moments(x, i);
            for (Index j = 0; j < columns; ++j) {
                const double standard = (static_cast<double>(x.at(i, j)) - mean) * factor;
                const double expected = static_cast<double>(scale.at(0, j)) * standard + offset.at(0, j);
                ASSERT_NEAR(y.at(i, j), expected, 1e-4) << i << ' ' << j << " of " << columns;
            }
        }
    }
}

TEST(LayerNormalization, ARowOfEqualNumbersBecomesTheOffset) {
    DenseMatrix x(2, 24), kept(2, 2), out(2, 24);
    fill(x, 7.0F);
    const DenseMatrix scale = random_numbers(1, 24, 1);
    const DenseMatrix offset = random_numbers(1, 24, 2);
    layer_normalize(x, scale, offset, kept, out, {1});
    for (Index j = 0; j < 24; ++j)
        EXPECT_EQ(out.at(1, j), offset.at(0, j));
}

struct Gradients {
    DenseMatrix scale, offset, x;
};
Gradients gradients_of(const DenseMatrix& x, const DenseMatrix& scale, const DenseMatrix& gradient,
                       Gradients start, Write write, int threads) {
    DenseMatrix kept(2, x.rows()), out(x.rows(), x.columns());
    layer_normalize(x, scale, DenseMatrix(1, x.columns()), kept, out, {threads});
    layer_normalize_gradients({x, scale, kept}, gradient,
                              {.scale = start.scale, .offset = start.offset, .x = start.x, .write = write},
                              {threads});
    return start;
}

void expect_right_row(const DenseMatrix& x, const DenseMatrix& scale, const DenseMatrix& gradient, Index i,
                      const DenseMatrix& result, const DenseMatrix* before) {
    const auto [mean, factor] = moments(x, i);
    const auto scaled = [&](Index j) {
        return static_cast<double>(scale.at(0, j)) * static_cast<double>(gradient.at(i, j));
    };
    const auto standard = [&, m = mean, f = factor](Index j) {
        return (static_cast<double>(x.at(i, j)) - m) * f;
    };
    double level = 0, slope = 0;
    for (Index j = 0; j < x.columns(); ++j) {
        level += scaled(j) / x.columns();
        slope += scaled(j) * standard(j) / x.columns();
    }
    for (Index j = 0; j < x.columns(); ++j) {
        const double start = before != nullptr ? static_cast<double>(before->at(i, j)) : 0.0;
        const double expected = start + factor * (scaled(j) - level - standard(j) * slope);
        ASSERT_NEAR(result.at(i, j), expected, 1e-4 * std::max(1.0, factor)) << i << ' ' << j;
    }
}

TEST(LayerNormalization, GradientsAgreeWithTheFormulaInDoublePrecision) {
    for (const auto [rows, columns] : shapes) {
        const DenseMatrix x = random_numbers(rows, columns, 1, 3.0);
        const DenseMatrix scale = random_numbers(1, columns, 2);
        const DenseMatrix gradient = random_numbers(rows, columns, 4);
        const Gradients start{random_numbers(1, columns, 5), random_numbers(1, columns, 6),
                              random_numbers(rows, columns, 7)};
        std::vector<Moments> of_row;
        for (Index i = 0; i < rows; ++i)
            of_row.push_back(moments(x, i));
        for (const Write write : {Write::replace, Write::add}) {
            Gradients result;
            for (DenseMatrix Gradients::*part : {&Gradients::scale, &Gradients::offset, &Gradients::x})
                result.*part = same_bits_everywhere([&](int threads) {
                    return gradients_of(x, scale, gradient, start, write, threads).*part;
                });
            for (Index i = 0; i < rows; ++i)
                expect_right_row(x, scale, gradient, i, result.x, write == Write::add ? &start.x : nullptr);
            for (Index j = 0; j < columns; ++j) {
                double of_scale = start.scale.at(0, j), of_offset = start.offset.at(0, j);
                for (Index i = 0; i < rows; ++i) {
                    const auto [mean, factor] = of_row[i];
                    const auto g = static_cast<double>(gradient.at(i, j));
                    of_scale += g * (static_cast<double>(x.at(i, j)) - mean) * factor;
                    of_offset += g;
                }
                const double tolerance = 1e-5 * std::max<Index>(rows, 10);
                ASSERT_NEAR(result.scale.at(0, j), of_scale, tolerance) << j;
                ASSERT_NEAR(result.offset.at(0, j), of_offset, tolerance) << j;
            }
        }
    }
}

TEST(LayerNormalization, GradientsThatNobodyWantsAreLeftOut) {
    const DenseMatrix x = random_numbers(4, 20, 1);
    const DenseMatrix scale = random_numbers(1, 20, 2);
    const DenseMatrix gradient = random_numbers(4, 20, 3);
    DenseMatrix kept(2, 4), out(4, 20), only_x(4, 20), only_offset(1, 20);
    layer_normalize(x, scale, DenseMatrix(1, 20), kept, out, {1});
    layer_normalize_gradients({x, scale, kept}, gradient, {.x = only_x}, {1});
    layer_normalize_gradients({x, scale, kept}, gradient, {.offset = only_offset}, {1});
    const Gradients all = gradients_of(
        x, scale, gradient, {DenseMatrix(1, 20), DenseMatrix(1, 20), DenseMatrix(4, 20)}, Write::replace, 1);
    EXPECT_TRUE(testing::have_same_bits(only_x, all.x));
    EXPECT_TRUE(testing::have_same_bits(only_offset, all.offset));
}

}  // namespace
}  // namespace hwgcn::layer_normalization_test
