#include "tensor/cpu/dense_kernels.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "tensor/products.hpp"
#include "tensor/wide_matrices.hpp"

namespace hwgcn::dense_kernels_test {
namespace {

using testing::have_same_bits;
using testing::random_numbers;
using testing::same_bits_everywhere;

// A is rows x inner. A single row, fewer rows than a tile, a rest of tiles of each size; panels of 16 and 32
// with a rest; one block of the inner index, several, and a rest.
struct Shape {
    Index rows, inner, columns;
};
constexpr Shape shapes[] = {{1, 64, 64},   {2, 65, 70},   {5, 64, 80},    {11, 100, 96},
                            {23, 70, 130}, {97, 300, 64}, {200, 64, 200}, {13, 517, 112}};

// Every number as one chain of fused multiply-adds, the C library's.
DenseMatrix chained_product(const DenseMatrix& a, const DenseMatrix& b, DenseMatrix out) {
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < b.columns(); ++j) {
            for (Index k = 0; k < b.rows(); ++k)
                out.at(i, j) = std::fma(a.at(i, k), b.at(k, j), out.at(i, j));
        }
    }
    return out;
}

DenseMatrix transposed(const DenseMatrix& a) {
    DenseMatrix result(a.columns(), a.rows());
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < a.columns(); ++j)
            result.at(j, i) = a.at(i, j);
    }
    return result;
}

void expect_near_product(const DenseMatrix& a, const DenseMatrix& b, const DenseMatrix& out) {
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < b.columns(); ++j) {
            double sum = 0, size = 0;
            for (Index k = 0; k < b.rows(); ++k) {
                const double term = static_cast<double>(a.at(i, k)) * static_cast<double>(b.at(k, j));
                sum += term;
                size += std::abs(term);
            }
            ASSERT_NEAR(out.at(i, j), sum, 1e-6 * size) << i << ' ' << j;
        }
    }
}

void expect_chained_products(const DenseMatrix& a, const DenseMatrix& b, const DenseMatrix& start) {
    for (const Write write : {Write::replace, Write::add}) {
        const DenseMatrix result = same_bits_everywhere([&](int threads) {
            DenseMatrix out = start;
            multiply(a, b, out, write, {threads});
            return out;
        });
        const DenseMatrix zero(a.rows(), b.columns());
        EXPECT_TRUE(have_same_bits(result, chained_product(a, b, write == Write::add ? start : zero)))
            << a.rows() << " x " << a.columns() << " x " << b.columns();
    }
}

void expect_chained_transposed_products(const DenseMatrix& a, const DenseMatrix& g,
                                        const DenseMatrix& start) {
    const DenseMatrix result = same_bits_everywhere([&](int threads) {
        DenseMatrix out = start;
        add_transposed_product(a, g, out, {threads});
        return out;
    });
    EXPECT_TRUE(have_same_bits(result, chained_product(transposed(a), g, start)))
        << a.rows() << " x " << a.columns() << " x " << g.columns();
}

TEST(DenseKernels, EveryNumberIsOneChainOfFusedMultiplyAdds) {
    for (const auto [rows, inner, columns] : shapes) {
        const DenseMatrix a = random_numbers(rows, inner, 1);
        const DenseMatrix b = random_numbers(inner, columns, 2);
        expect_chained_products(a, b, random_numbers(rows, columns, 3));
        DenseMatrix out(rows, columns);
        multiply(a, b, out, Write::replace, {1});
        expect_near_product(a, b, out);
        // A' G with the inner index running over the rows of A, from 1 to 517 of them.
        expect_chained_transposed_products(random_numbers(rows, inner, 4), random_numbers(rows, columns, 5),
                                           random_numbers(inner, columns, 6));
    }
    expect_chained_transposed_products(random_numbers(517, 64, 4), random_numbers(517, 72, 5),
                                       DenseMatrix(64, 72));
}

// Numbers of very different sizes: sums that cancel, products that are lost in the sum, ties, results that
// have no full precision any more.
DenseMatrix wild_numbers(Index rows, Index columns, std::uint64_t seed, int lowest, int highest) {
    RandomStream random(seed, 9);
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            const auto digits = static_cast<float>(static_cast<int>(random.below(1 << 24)) - (1 << 23));
            const auto spread = static_cast<std::uint64_t>(highest - lowest);
            const bool round = random.below(3) == 0;  // a power of two
            matrix.at(i, j) = std::ldexp(round ? std::copysign(1.0F, digits) : digits * 0x1p-23F,
                                         lowest + static_cast<int>(random.below(spread)));
        }
    }
    return matrix;
}

TEST(DenseKernels, ProcessorsWithoutFusedMultiplyAddsRoundOnceAllTheSame) {
    constexpr std::array<std::array<int, 2>, 5> exponents = {
        {{-3, 3}, {-20, 20}, {-60, 60}, {-74, -60}, {40, 63}}};
    for (const auto [lowest, highest] : exponents) {
        const DenseMatrix a = wild_numbers(64, 64, 1, lowest, highest);
        const DenseMatrix b = wild_numbers(64, 64, 2, lowest, highest);
        expect_chained_products(a, b, wild_numbers(64, 64, 3, 2 * lowest, 2 * highest));
        expect_chained_transposed_products(a, b, wild_numbers(64, 64, 4, 2 * lowest, 2 * highest));
    }
}

TEST(DenseKernels, InfinityStaysInfinity) {
    DenseMatrix a = random_numbers(3, 64, 1);
    DenseMatrix b = random_numbers(64, 64, 2);
    for (DenseMatrix* matrix : {&a, &b}) {
        for (float& number : matrix->numbers())
            number = std::abs(number) + 0.5F;
    }
    a.at(1, 7) = std::numeric_limits<float>::infinity();
    a.at(2, 9) = 3e38F;  // overflows with b
    for (Index j = 0; j < 64; ++j)
        b.at(9, j) = 2e30F;
    expect_chained_products(a, b, DenseMatrix(3, 64));
    DenseMatrix out(3, 64);
    multiply(a, b, out, Write::replace, {1});
    EXPECT_TRUE(std::isfinite(out.at(0, 5)));
    EXPECT_TRUE(std::isinf(out.at(1, 5)));
    EXPECT_TRUE(std::isinf(out.at(2, 5)));
}

TEST(DenseKernels, ARowHasTheSameBitsWhicheverOthersAreComputed) {
    const DenseMatrix a = random_numbers(40, 96, 1);
    const DenseMatrix b = random_numbers(96, 64, 2);
    DenseMatrix all(40, 64);
    multiply(a, b, all, Write::replace, {1});
    for (const Index i : {0, 17, 39}) {
        DenseMatrix one(1, 96), out(1, 64);
        std::copy_n(a.row(i), 96, one.row(0));
        multiply(one, b, out, Write::replace, {1});
        EXPECT_TRUE(std::equal(out.row(0), out.row(0) + 64, all.row(i)));
    }
}

TEST(DenseKernels, SumsOverManyRowsAreCutIntoTheSamePiecesAtAnyThreadCount) {
    const DenseMatrix a = random_numbers(1700, 70, 1);
    const DenseMatrix g = random_numbers(1700, 64, 2);
    DenseMatrix result = same_bits_everywhere([&](int threads) {
        DenseMatrix out(70, 64);
        add_transposed_product(a, g, out, {threads});
        return out;
    });
    expect_near_product(transposed(a), g, result);
    const DenseMatrix b = random_numbers(70, 64, 3);
    expect_chained_products(a, b, DenseMatrix(1700, 64));  // large enough to share
}

}  // namespace
}  // namespace hwgcn::dense_kernels_test
