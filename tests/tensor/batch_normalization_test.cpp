#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/normalization.hpp"
#include "tensor/transfer.hpp"
#include "tensor/wide_matrices.hpp"

namespace hwgcn::batch_normalization_test {
namespace {

using testing::random_numbers;
using testing::same_bits_everywhere;

// In rows of 8, of 16 and longer, with and without padding; the last ones are shared among threads.
struct Shape {
    Index rows, columns;
};
constexpr Shape shapes[] = {{3, 1},   {14, 5},  {4, 8},      {9, 9},     {13, 16},
                            {25, 40}, {16, 64}, {8300, 100}, {3000, 128}};
constexpr double variance_floor = 1e-5;

struct Kept {
    DenseMatrix standard, factors, means, variances;

    Kept(Index rows, Index columns)
        : standard(rows, columns), factors(1, columns), means(1, columns), variances(1, columns) {}
    BatchNormalization views() { return {standard, factors, means, variances}; }
};

// Columns with means of their own.
DenseMatrix numbers_of(Index rows, Index columns) {
    DenseMatrix x = random_numbers(rows, columns, 1, 3.0);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            x.at(i, j) += static_cast<float>(j % 5);
    }
    return x;
}

// The mean, and the inverse of the standard deviation, of a column.
struct Moments {
    double mean = 0, variance = 0;

    Moments(const DenseMatrix& x, Index j) {
        for (Index i = 0; i < x.rows(); ++i)
            mean += static_cast<double>(x.at(i, j)) / x.rows();
        for (Index i = 0; i < x.rows(); ++i)
            variance += std::pow(static_cast<double>(x.at(i, j)) - mean, 2) / x.rows();
    }
    double standard(float x) const {
        return (static_cast<double>(x) - mean) / std::sqrt(variance + variance_floor);
    }
};

TEST(BatchNormalization, StandardizesEachColumnAndAppliesTheLearnedScaleAndOffset) {
    for (const auto [rows, columns] : shapes) {
        const DenseMatrix x = numbers_of(rows, columns);
        const DenseMatrix scale = random_numbers(1, columns, 2);
        const DenseMatrix offset = random_numbers(1, columns, 3);
        Kept kept(rows, columns);
        const DenseMatrix y = same_bits_everywhere([&](int threads) {
            DenseMatrix out(rows, columns);
            batch_normalize(x, scale, offset, variance_floor, kept.views(), out, {}, {threads});
            return out;
        });
        for (Index j = 0; j < columns; ++j) {
            const Moments moments(x, j);
            EXPECT_NEAR(kept.means.at(0, j), moments.mean, 1e-5);
            EXPECT_NEAR(kept.variances.at(0, j), moments.variance, 1e-4);
            for (Index i = 0; i < rows; ++i) {
                const double expected =
                    static_cast<double>(scale.at(0, j)) * moments.standard(x.at(i, j)) + offset.at(0, j);
                ASSERT_NEAR(y.at(i, j), expected, 2e-4) << i << ' ' << j << " of " << columns;
            }
        }
    }
}

// x gets s r (g - mean(g) - y mean(g y)), y being the standardised column.
TEST(BatchNormalization, GradientsAgreeWithTheFormulaInDoublePrecision) {
    for (const auto [rows, columns] : shapes) {
        if (rows < 8) continue;  // a column of equal numbers has steep slopes
        const DenseMatrix x = numbers_of(rows, columns);
        const DenseMatrix scale = random_numbers(1, columns, 2);
        const DenseMatrix gradient = random_numbers(rows, columns, 4);
        const DenseMatrix start = random_numbers(rows, columns, 5);
        Kept kept(rows, columns);
        DenseMatrix out(rows, columns);
        batch_normalize(x, scale, DenseMatrix(1, columns), variance_floor, kept.views(), out);
        for (const Write write : {Write::replace, Write::add}) {
            DenseMatrix of_scale, of_offset;
            const DenseMatrix result = same_bits_everywhere([&](int threads) {
                DenseMatrix to = start;
                of_scale = of_offset = DenseMatrix(1, columns);
                batch_normalize_gradients(kept.views(), gradient,
                                          {.scale = of_scale, .offset = of_offset, .x = to, .write = write},
                                          {}, {threads});
                return to;
            });
            for (Index j = 0; j < columns; ++j) {
                const Moments moments(x, j);
                double sum = 0, dot = 0;
                for (Index i = 0; i < rows; ++i) {
                    sum += static_cast<double>(gradient.at(i, j));
                    dot += static_cast<double>(gradient.at(i, j)) * moments.standard(x.at(i, j));
                }
                EXPECT_NEAR(of_offset.at(0, j), sum, 1e-6 * rows + 1e-5);
                EXPECT_NEAR(of_scale.at(0, j), dot, 1e-5 * rows + 1e-5);
                const double factor =
                    static_cast<double>(scale.at(0, j)) / std::sqrt(moments.variance + variance_floor);
                for (Index i = 0; i < rows; ++i) {
                    const double before = write == Write::add ? static_cast<double>(start.at(i, j)) : 0.0;
                    const double own = static_cast<double>(gradient.at(i, j)) - sum / rows -
                                       moments.standard(x.at(i, j)) * dot / rows;
                    ASSERT_NEAR(result.at(i, j), before + factor * own, 2e-4) << i << ' ' << j;
                }
            }
        }
    }
}

}  // namespace
}  // namespace hwgcn::batch_normalization_test
