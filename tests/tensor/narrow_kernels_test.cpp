#include "tensor/cpu/narrow_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "instruction_sets.hpp"
#include "tensor/cpu/elementwise_kernels.hpp"
#include "tensor/products.hpp"

namespace hwgcn::narrow_kernels_test {
namespace {

using testing::for_every_instruction_set;

// Every width of tile: one of 8, one of 16, several, and a rest after a tile of 64.
constexpr Index widths[] = {1, 7, 8, 9, 16, 24, 40, 60, 64, 72, 130};

CsrMatrix<float> random_sparse(Index rows, Index columns, double density, RandomStream& random) {
    std::vector<Triplet<float>> triplets;
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            if (random.uniform() < density)
                triplets.push_back({i, j, static_cast<float>(random.uniform() - 0.5)});
        }
    }
    return csr_from_triplets(rows, columns, std::move(triplets));
}

DenseMatrix random_dense(Index rows, Index columns, RandomStream& random) {
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>(random.uniform() - 0.5);
    }
    return matrix;
}

bool same_bits(const DenseMatrix& a, const DenseMatrix& b) {
    return a.numbers().size() == b.numbers().size() &&
           std::memcmp(a.numbers().data(), b.numbers().data(), a.numbers().size_bytes()) == 0;
}

// Bits and origins for a matrix, as if its rows came from all over a larger one.
struct Kept {
    Kept(const CsrMatrix<float>& matrix, RandomStream& random) {
        std::int64_t position = 3;
        for (Index i = 0; i < matrix.rows; ++i) {
            origin.push_back(position);
            position +=
                matrix.offsets[i + 1] - matrix.offsets[i] + static_cast<std::int64_t>(random.below(70));
        }
        bits.resize(static_cast<std::size_t>(position) / 64 + 2);
        for (std::uint64_t& word : bits)
            word = random.bits();
    }
    bool has(Index row, std::size_t entry) const {
        const std::size_t bit = static_cast<std::size_t>(origin[row]) + entry;
        return (bits[bit / 64] >> bit % 64 & 1) != 0;
    }
    KeptEntries view() const { return {bits, origin, 1.25F}; }

    std::vector<std::int64_t> origin;
    std::vector<std::uint64_t> bits;
};

// M as a dense matrix in double precision, with only the kept entries.
std::vector<std::vector<double>> dense_copy(const CsrMatrix<float>& m, const Kept* kept) {
    std::vector<std::vector<double>> full(m.rows, std::vector<double>(m.columns));
    for (Index i = 0; i < m.rows; ++i) {
        const SparseRow<float> row = m.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            const double factor = kept == nullptr ? 1.0 : kept->has(i, e) ? 1.25 : 0.0;
            full[i][row.indices[e]] = factor * static_cast<double>(row.values[e]);
        }
    }
    return full;
}

void expect_product(const std::vector<std::vector<double>>& a, const DenseMatrix& b, const DenseMatrix& start,
                    const DenseMatrix& out) {
    for (Index i = 0; i < out.rows(); ++i) {
        for (Index j = 0; j < out.columns(); ++j) {
            double sum = static_cast<double>(start.at(i, j));
            for (Index k = 0; k < b.rows(); ++k)
                sum += a[i][k] * static_cast<double>(b.at(k, j));
            ASSERT_NEAR(out.at(i, j), sum, 1e-5) << i << ' ' << j;
        }
        for (std::size_t pad = static_cast<std::size_t>(out.columns()); pad < out.view().stride(); ++pad)
            ASSERT_EQ(out.row(i)[pad], 0.0F) << "the padding stays zero";
    }
}

std::vector<std::vector<double>> transposed(const std::vector<std::vector<double>>& a) {
    std::vector<std::vector<double>> result(a.front().size(), std::vector<double>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[i].size(); ++j)
            result[j][i] = a[i][j];
    }
    return result;
}

// Runs `compute` on every instruction set; the result must be that of the oracle on the first and the same on
// all.
template <typename Compute>
DenseMatrix same_everywhere(const Compute& compute) {
    std::optional<DenseMatrix> first;
    for_every_instruction_set([&](const std::string& name) {
        const DenseMatrix result = compute();
        if (!first) first = result;
        EXPECT_TRUE(same_bits(*first, result)) << name;
    });
    return *first;
}

TEST(NarrowKernels, SparseProductsAgreeWithDirectSumsAndHaveTheSameBitsEverywhere) {
    RandomStream random(1, 0);
    for (const Index width : widths) {
        for (const Write write : {Write::replace, Write::add}) {
            for (const bool some : {false, true}) {
                const CsrMatrix<float> m = random_sparse(23, 150, 0.5, random);
                const Kept kept(m, random);
                const KeptEntries view = kept.view();
                const DenseMatrix b = random_dense(150, width, random);
                const DenseMatrix start = random_dense(23, width, random);
                const DenseMatrix result = same_everywhere([&] {
                    DenseMatrix out = start;
                    multiply(m, some ? &view : nullptr, b, out, write, {1});
                    return out;
                });
                const DenseMatrix zero(23, width);
                expect_product(dense_copy(m, some ? &kept : nullptr), b, write == Write::add ? start : zero,
                               result);
            }
        }
    }
}

TEST(NarrowKernels, TransposedSparseProductsAreAdded) {
    RandomStream random(2, 0);
    for (const Index width : widths) {
        for (const bool some : {false, true}) {
            const CsrMatrix<float> m = random_sparse(90, 31, 0.4, random);
            const Kept kept(m, random);
            const KeptEntries view = kept.view();
            const DenseMatrix g = random_dense(90, width, random);
            const DenseMatrix start = random_dense(31, width, random);
            const DenseMatrix result = same_everywhere([&] {
                DenseMatrix out = start;
                add_transposed_product(m, some ? &view : nullptr, g, out, {1});
                return out;
            });
            expect_product(transposed(dense_copy(m, some ? &kept : nullptr)), g, start, result);
        }
    }
}

TEST(NarrowKernels, DenseProductsAgreeWithDirectSums) {
    RandomStream random(3, 0);
    for (const Index width : widths) {
        const DenseMatrix a = random_dense(21, 19, random);
        const DenseMatrix b = random_dense(19, width, random);
        const DenseMatrix g = random_dense(21, width, random);
        const DenseMatrix start = random_dense(21, width, random);
        const DenseMatrix start_transposed = random_dense(19, width, random);
        std::vector<std::vector<double>> copy(21, std::vector<double>(19));
        for (Index i = 0; i < 21; ++i) {
            for (Index j = 0; j < 19; ++j)
                copy[i][j] = static_cast<double>(a.at(i, j));
        }
        const DenseMatrix product = same_everywhere([&] {
            DenseMatrix out = start;
            multiply(a, b, out, Write::add, {1});
            return out;
        });
        expect_product(copy, b, start, product);
        const DenseMatrix other = same_everywhere([&] {
            DenseMatrix out = start_transposed;
            add_transposed_product(a, g, out, {1});
            return out;
        });
        expect_product(transposed(copy), g, start_transposed, other);
    }
}

TEST(NarrowKernels, ProductsLargeEnoughToShareHaveTheSameBitsAtAnyThreadCount) {
    RandomStream random(4, 0);
    const CsrMatrix<float> m = random_sparse(2000, 300, 0.5, random);
    const DenseMatrix b = random_dense(300, 16, random);
    const DenseMatrix g = random_dense(2000, 16, random);
    const DenseMatrix a = random_dense(40000, 24, random);
    const DenseMatrix tall = random_dense(40000, 16, random);
    const DenseMatrix theta = random_dense(24, 16, random);
    const auto compute = [&](int threads) {
        std::vector<DenseMatrix> results;
        results.emplace_back(2000, 16);
        multiply(m, nullptr, b, results.back(), Write::replace, {threads});
        results.emplace_back(300, 16);
        add_transposed_product(m, nullptr, g, results.back(), {threads});
        results.emplace_back(40000, 16);
        multiply(a, theta, results.back(), Write::replace, {threads});
        results.emplace_back(24, 16);
        add_transposed_product(a, tall, results.back(), {threads});
        return results;
    };
    const std::vector<DenseMatrix> one = compute(1);
    for (const int threads : {2, 3, 8}) {
        const std::vector<DenseMatrix> several = compute(threads);
        for (std::size_t k = 0; k < one.size(); ++k)
            EXPECT_TRUE(same_bits(one[k], several[k])) << threads << " threads, product " << k;
    }
}

TEST(NarrowKernels, ExponentialsAreAccurateOverTheWholeRange) {
    std::vector<float> x;
    for (float value = -90.0F; value <= 88.0F; value += 0.03125F)
        x.push_back(value + 0.001F);
    x.resize(x.size() / 8 * 8);
    x.insert(x.end(),
             {0.0F, -0.0F, 1.0F, -1.0F, -87.0F, -1e30F, -std::numeric_limits<float>::infinity(), 88.0F});
    DenseMatrix result = same_everywhere([&] {
        DenseMatrix out(1, static_cast<Index>(x.size()));
        cpu::exponentials(x.data(), out.row(0), x.size());
        return out;
    });
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double exact = x[k] < -87.0F ? 0.0 : std::exp(static_cast<double>(x[k]));
        EXPECT_NEAR(result.row(0)[k], exact, 3e-7 * exact) << x[k];
    }
    EXPECT_EQ(result.row(0)[x.size() - 8], 1.0F) << "exp(0) is exact";
}

TEST(NarrowKernels, SoftmaxSumsToOneAndKnowsItsLogarithm) {
    RandomStream random(5, 0);
    for (const Index width : {1, 3, 7, 8, 40}) {
        DenseMatrix scores = random_dense(9, width, random);
        for (float& number : scores.numbers())
            number *= 100.0F;
        std::vector<double> log_sums(9);
        const DenseMatrix result = same_everywhere([&] {
            DenseMatrix out(9, width);
            cpu::softmax_rows(scores, out, log_sums.data(), {0, 9});
            return out;
        });
        for (Index i = 0; i < 9; ++i) {
            double sum = 0, total = 0;
            for (Index c = 0; c < width; ++c)
                sum += std::exp(static_cast<double>(scores.at(i, c)));
            EXPECT_NEAR(log_sums[i], std::log(sum), 1e-5);
            for (Index c = 0; c < width; ++c) {
                EXPECT_NEAR(result.at(i, c), std::exp(static_cast<double>(scores.at(i, c))) / sum, 1e-6);
                total += static_cast<double>(result.at(i, c));
            }
            EXPECT_NEAR(total, 1.0, 1e-6);
        }
    }
}

TEST(NarrowKernels, NumbersAreKeptByTheirBits) {
    RandomStream random(6, 0);
    const DenseMatrix x = random_dense(1, 160, random);
    std::vector<std::uint64_t> bits(8);
    for (std::uint64_t& word : bits)
        word = random.bits();
    for (const std::size_t first : {std::size_t{0}, std::size_t{8}, std::size_t{56}, std::size_t{120}}) {
        const DenseMatrix result = same_everywhere([&] {
            DenseMatrix out(1, 160);
            cpu::keep_numbers(x.row(0), bits.data(), first, 2.0F, out.row(0), 160, Write::replace);
            cpu::keep_numbers(x.row(0), bits.data(), first, 3.0F, out.row(0), 160, Write::add);
            return out;
        });
        for (std::size_t k = 0; k < 160; ++k) {
            const bool kept = (bits[(first + k) / 64] >> (first + k) % 64 & 1) != 0;
            EXPECT_FLOAT_EQ(result.row(0)[k], kept ? 5.0F * x.row(0)[k] : 0.0F) << k;
        }
    }
}

TEST(NarrowKernels, RowsOfHiddenLayersAreTheirStepsWithTheSameBitsEverywhere) {
    RandomStream random(7, 0);
    const DenseMatrix x = random_dense(1, 160, random);
    const DenseMatrix offset = random_dense(1, 160, random);
    const DenseMatrix gradient = random_dense(1, 160, random);
    std::vector<std::uint64_t> bits(6);
    for (std::uint64_t& word : bits)
        word = random.bits();
    for (const bool some : {false, true}) {
        const std::uint64_t* const mask = some ? bits.data() : nullptr;
        for (const std::size_t first : {std::size_t{0}, std::size_t{8}, std::size_t{56}, std::size_t{120}}) {
            const DenseMatrix outputs = same_everywhere([&] {
                DenseMatrix out(1, 160);
                cpu::hidden_row({1.25F, offset.row(0), mask, first, 3.0F}, x.row(0), out.row(0), 160);
                return out;
            });
            const DenseMatrix back = same_everywhere([&] {
                DenseMatrix out(1, 160);
                cpu::scale_where_positive(3.0F, outputs.row(0), gradient.row(0), out.row(0), 160);
                return out;
            });
            for (Index k = 0; k < 160; ++k) {
                const std::size_t bit = first + static_cast<std::size_t>(k);
                const bool kept = mask == nullptr || (bits[bit / 64] >> bit % 64 & 1) != 0;
                const float product = 1.25F * x.at(0, k);
                const float sum = product + offset.at(0, k);
                const bool passes = kept && sum > 0.0F;
                EXPECT_EQ(outputs.at(0, k), passes ? 3.0F * sum : 0.0F) << k;
                EXPECT_EQ(back.at(0, k), passes ? 3.0F * gradient.at(0, k) : 0.0F) << k;
            }
        }
    }
}

// Rows that nobody wants are zero, and add nothing on the way back, whatever their gradient.
TEST(NarrowKernels, UnwantedRowsAreLeftOut) {
    RandomStream random(8, 0);
    for (const Index width : {Index{3}, Index{40}}) {
        const CsrMatrix<float> m = random_sparse(90, 31, 0.4, random);
        const Kept kept(m, random);
        const DenseMatrix b = random_dense(31, width, random);
        const DenseMatrix g = random_dense(90, width, random);
        const std::vector<std::uint64_t> rows = {random.bits(), random.bits(), random.bits()};
        std::vector<Index> nodes(90);
        std::iota(nodes.begin(), nodes.end(), Index{40});
        KeptEntries view = kept.view();
        view.rows = rows;
        view.nodes = nodes;
        std::vector<std::vector<double>> wanted = dense_copy(m, &kept);
        for (Index i = 0; i < 90; ++i) {
            const auto bit = static_cast<std::size_t>(40 + i);
            if ((rows[bit / 64] >> bit % 64 & 1) == 0) std::ranges::fill(wanted[i], 0.0);
        }
        const DenseMatrix product = same_everywhere([&] {
            DenseMatrix out(90, width);
            multiply(m, &view, b, out, Write::replace, {1});
            return out;
        });
        expect_product(wanted, b, DenseMatrix(90, width), product);
        const DenseMatrix sum = same_everywhere([&] {
            DenseMatrix out(31, width);
            add_transposed_product(m, &view, g, out, {1});
            return out;
        });
        expect_product(transposed(wanted), g, DenseMatrix(31, width), sum);
    }
}

// Rows that pass in several blocks, in one piece and in eight.
TEST(NarrowKernels, TransposedDenseProductsOfManyRowsAgreeWithDirectSums) {
    RandomStream random(9, 0);
    for (const auto& [rows, width] : {std::pair<Index, Index>{200, 5}, {30000, 8}, {3000, 40}}) {
        const DenseMatrix a = random_dense(rows, 29, random);
        const DenseMatrix g = random_dense(rows, width, random);
        const DenseMatrix start = random_dense(29, width, random);
        const DenseMatrix result = same_everywhere([&] {
            DenseMatrix out = start;
            add_transposed_product(a, g, out, {1});
            return out;
        });
        for (Index i = 0; i < 29; ++i) {
            for (Index j = 0; j < width; ++j) {
                double sum = static_cast<double>(start.at(i, j));
                for (Index r = 0; r < rows; ++r)
                    sum += static_cast<double>(a.at(r, i)) * static_cast<double>(g.at(r, j));
                ASSERT_NEAR(result.at(i, j), sum, 2e-3) << rows << ' ' << i << ' ' << j;
            }
        }
    }
}

TEST(NarrowKernels, PositivePartsPassAndOthersDoNot) {
    const std::vector<float> y = {1, -1, 0, 2, -3, 4, 1e-30F, -0.0F};
    const std::vector<float> gradient = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<float> out(8, 10.0F);
    cpu::keep_where_positive(y.data(), gradient.data(), out.data(), 8, Write::add);
    EXPECT_EQ(out, (std::vector<float>{11, 10, 10, 14, 10, 16, 17, 10}));
    cpu::keep_where_positive(y.data(), gradient.data(), out.data(), 8, Write::replace);
    EXPECT_EQ(out, (std::vector<float>{1, 0, 0, 4, 0, 6, 7, 0}));
}

}  // namespace
}  // namespace hwgcn::narrow_kernels_test
