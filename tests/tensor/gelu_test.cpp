#include <cmath>
#include <numbers>

#include "tensor/elementwise.hpp"
#include "tensor/wide_matrices.hpp"

namespace hwgcn::gelu_test {
namespace {

using testing::random_numbers;
using testing::same_bits_everywhere;

double distribution(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double density(double x) {
    return std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
}

// From -12 to 12, and numbers whose squares overflow.
DenseMatrix numbers() {
    DenseMatrix x = random_numbers(1500, 70, 1, 12.0);
    x.at(0, 0) = 0.0F;
    x.at(0, 1) = -0.0F;
    x.at(0, 2) = 1e30F;
    x.at(0, 3) = -1e30F;
    x.at(0, 4) = 1e-30F;
    return x;
}

TEST(Gelu, IsXTimesTheNormalDistribution) {
    const DenseMatrix x = numbers();
    const DenseMatrix y = same_bits_everywhere([&](int threads) {
        DenseMatrix out(x.rows(), x.columns());
        gelu(x, out, {threads});
        return out;
    });
    for (Index i = 0; i < x.rows(); ++i) {
        for (Index j = 0; j < x.columns(); ++j) {
            const auto at = static_cast<double>(x.at(i, j));
            ASSERT_NEAR(y.at(i, j), at * distribution(at), 3e-7 * std::abs(at)) << at;
        }
    }
    EXPECT_EQ(y.at(0, 0), 0.0F);
    EXPECT_EQ(y.at(0, 2), 1e30F);
    EXPECT_EQ(y.at(0, 3), 0.0F);
}

TEST(Gelu, GradientIsWrittenOrAdded) {
    const DenseMatrix x = numbers();
    const DenseMatrix gradient = random_numbers(x.rows(), x.columns(), 2);
    const DenseMatrix before = random_numbers(x.rows(), x.columns(), 3);
    for (const Write write : {Write::replace, Write::add}) {
        const DenseMatrix result = same_bits_everywhere([&](int threads) {
            DenseMatrix out = before;
            gelu_gradient(x, gradient, out, write, {threads});
            return out;
        });
        for (Index i = 0; i < x.rows(); ++i) {
            for (Index j = 0; j < x.columns(); ++j) {
                const auto at = static_cast<double>(x.at(i, j));
                const double slope = distribution(at) + (std::abs(at) < 1e9 ? at * density(at) : 0.0);
                const double start = write == Write::add ? static_cast<double>(before.at(i, j)) : 0.0;
                ASSERT_NEAR(result.at(i, j), start + static_cast<double>(gradient.at(i, j)) * slope, 1e-6)
                    << at;
            }
        }
    }
}

}  // namespace
}  // namespace hwgcn::gelu_test
