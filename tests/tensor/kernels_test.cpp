#include "tensor/cpu/kernels.hpp"

#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "instruction_sets.hpp"
#include "tensor/cpu/instruction_sets.hpp"

namespace hwgcn::cpu::kernels_test {
namespace {

using testing::for_every_instruction_set;

CsrMatrix<float> random_matrix(Index rows, Index columns, RandomStream& random) {
    std::vector<Triplet<float>> triplets;
    for (Index i = 0; i < rows; ++i) {
        const auto count = random.below(static_cast<std::uint64_t>(columns));
        for (std::uint64_t k = 0; k < count; ++k) {
            triplets.push_back({i, static_cast<Index>(random.below(static_cast<std::uint64_t>(columns))),
                                static_cast<float>(random.uniform())});
        }
    }
    return csr_from_triplets(rows, columns, std::move(triplets));
}

std::vector<double> random_vector(std::size_t size, RandomStream& random) {
    std::vector<double> values(size);
    for (double& value : values)
        value = random.uniform() - 0.5;
    return values;
}

// A factor with a strong diagonal, as a Cholesky factor has.
struct DenseFactor {
    explicit DenseFactor(std::size_t n, RandomStream& random)
        : size(n), stride(n + 3), data(stride * n), inverse(n) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = k; i < n; ++i)
                data[k * stride + i] = random.uniform() - 0.5 + (i == k ? 3.0 : 0.0);
            inverse[k] = 1.0 / data[k * stride + k];
        }
    }
    double at(std::size_t i, std::size_t k) const { return i >= k ? data[k * stride + i] : 0.0; }
    TriangularFactor view() { return {data.data(), inverse.data(), stride, size}; }

    std::size_t size;
    std::size_t stride;
    std::vector<double> data;
    std::vector<double> inverse;
};

TEST(Kernels, DotRowsAgreesWithADirectSumAndHasTheSameBitsOnEveryInstructionSet) {
    RandomStream random(1, 0);
    const CsrMatrix<float> matrix = random_matrix(60, 40, random);
    const std::vector<double> dense = random_vector(40, random);
    std::vector<Index> rows;
    for (Index i = 59; i >= 0; --i)
        rows.push_back(i);

    std::vector<double> first;
    for_every_instruction_set([&](const std::string& name) {
        std::vector<double> out(rows.size());
        dot_rows(matrix, rows, dense.data(), out.data());
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const auto row = matrix.row(rows[k]);
            double expected = 0;
            for (std::size_t e = 0; e < row.size(); ++e)
                expected += row.values[e] * dense[row.indices[e]];
            EXPECT_NEAR(out[k], expected, 1e-13) << name;
        }
        if (first.empty()) first = out;
        EXPECT_EQ(std::memcmp(first.data(), out.data(), out.size() * sizeof(double)), 0) << name;
    });
}

TEST(Kernels, DotAndAddRowsGivesProductsAndSum) {
    RandomStream random(2, 0);
    const CsrMatrix<float> matrix = random_matrix(20, 30, random);
    const std::vector<double> dense = random_vector(30, random);
    const std::vector<Index> rows{3, 3, 19, 0};
    std::vector<double> expected(rows.size()), expected_sum(30, 0.0);
    dot_rows(matrix, rows, dense.data(), expected.data());
    for (const Index r : rows) {
        const auto row = matrix.row(r);
        for (std::size_t e = 0; e < row.size(); ++e)
            expected_sum[row.indices[e]] += row.values[e];
    }
    std::vector<double> first, first_sum;
    for_every_instruction_set([&](const std::string& name) {
        std::vector<double> products(rows.size()), sum(30, 0.0);
        dot_and_add_rows(matrix, rows, dense.data(), products.data(), sum.data());
        for (std::size_t k = 0; k < rows.size(); ++k)
            EXPECT_NEAR(products[k], expected[k], 1e-13);
        for (std::size_t k = 0; k < 30; ++k)
            EXPECT_NEAR(sum[k], expected_sum[k], 1e-13);
        if (first.empty()) {
            first = products;
            first_sum = sum;
        }
        EXPECT_EQ(first, products) << name;
        EXPECT_EQ(first_sum, sum) << name;
    });
}

TEST(Kernels, TriangularSolvesInvertTheFactorAtEverySize) {
    RandomStream random(4, 0);
    for (std::size_t n = 1; n <= 37; ++n) {
        DenseFactor factor(n, random);
        const std::vector<double> x = random_vector(n, random);
        std::vector<double> forward(n, 0.0), backward(n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                forward[i] += factor.at(i, k) * x[k];
                backward[i] += factor.at(k, i) * x[k];
            }
        }
        std::vector<double> first, first_y;
        for_every_instruction_set([&](const std::string& name) {
            std::vector<double> y = forward;
            solve_lower(factor.view(), y.data());
            for (std::size_t i = 0; i < n; ++i)
                EXPECT_NEAR(y[i], x[i], 1e-12) << name << " " << n;
            std::vector<double> b = backward;
            solve_lower_transposed(factor.view(), b.data());
            for (std::size_t i = 0; i < n; ++i)
                EXPECT_NEAR(b[i], x[i], 1e-12) << name << " " << n;
            if (first.empty()) {
                first = b;
                first_y = y;
            }
            EXPECT_EQ(first, b) << name;
            EXPECT_EQ(first_y, y) << name;
        });
    }
}

TEST(Kernels, AddRankOneHasTheSameBitsOnEveryInstructionSet) {
    RandomStream random(6, 0);
    const DenseFactor before(29, random);
    const std::vector<double> w = random_vector(26, random);
    std::vector<double> first;
    for_every_instruction_set([&](const std::string& name) {
        DenseFactor factor = before;
        std::vector<double> used = w;
        add_rank_one(factor.view(), 3, used.data(), {});
        if (first.empty()) first = factor.data;
        EXPECT_EQ(first, factor.data) << name;
    });
}

TEST(Kernels, AddRankOneGrowsTheProductOfTheTrailingBlock) {
    RandomStream random(5, 0);
    for (const std::size_t n : {1U, 7U, 8U, 21U}) {
        for (std::size_t begin = 0; begin < n; begin += 3) {
            DenseFactor factor(n, random);
            const DenseFactor before = factor;
            const std::vector<double> w = random_vector(n - begin, random);
            std::vector<double> used = w;
            // y solves L y = b; deleting a row in front of `begin` would leave the entry 0.7 of y beside w.
            const std::vector<double> y_before = random_vector(n, random);
            std::vector<double> y = y_before;
            std::vector<SolvedRow> solved{{y.data(), 0.7}};
            add_rank_one(factor.view(), begin, used.data(), solved);
            for (std::size_t i = begin; i < n; ++i) {
                EXPECT_NEAR(factor.inverse[i] * factor.at(i, i), 1.0, 1e-12);
                double expected_b = w[i - begin] * 0.7, found_b = 0;
                for (std::size_t k = begin; k < n; ++k) {
                    expected_b += before.at(i, k) * y_before[k];
                    found_b += factor.at(i, k) * y[k];
                }
                EXPECT_NEAR(found_b, expected_b, 1e-11);
                for (std::size_t j = begin; j < n; ++j) {
                    double expected = w[i - begin] * w[j - begin], found = 0;
                    for (std::size_t k = begin; k < n; ++k) {
                        expected += before.at(i, k) * before.at(j, k);
                        found += factor.at(i, k) * factor.at(j, k);
                    }
                    EXPECT_NEAR(found, expected, 1e-11);
                }
            }
        }
    }
}

TEST(InstructionSets, NamesAtLeastOne) {
    EXPECT_FALSE(instruction_sets().empty());
}

}  // namespace
}  // namespace hwgcn::cpu::kernels_test
