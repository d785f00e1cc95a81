#include "autodiff/pair_ops.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autodiff/gradient_check.hpp"
#include "autodiff/ops.hpp"
#include "graph/random_graph.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::pair_ops_test {
namespace {

using testing::Computation;
using testing::evaluate;
using testing::expect_right_gradients;
using testing::random_edges;
using testing::random_matrix;

constexpr Index nodes = 12;

// With and without padding, in rows of 8, of 16, of several vectors.
constexpr std::array<Index, 5> widths = {1, 7, 8, 18, 50};

class PairOperationOfWidth : public ::testing::TestWithParam<Index> {
  protected:
    DenseMatrix matrix(std::uint64_t seed) const { return random_matrix(nodes, GetParam(), seed); }
};
INSTANTIATE_TEST_SUITE_P(Width, PairOperationOfWidth, ::testing::ValuesIn(widths),
                         [](const auto& width) { return std::to_string(width.param); });

// Symmetric, with weights of all sizes; the last node has no edge.
CsrMatrix<float> some_weights() {
    std::vector<Triplet<float>> triplets;
    for (const auto& [a, b] : random_edges(nodes - 1, 20, 5)) {
        if (a == b) continue;
        const float weight = 0.25F + static_cast<float>((a + b) % 5);
        triplets.push_back({a, b, weight});
        triplets.push_back({b, a, weight});
    }
    return csr_from_triplets(nodes, nodes, std::move(triplets));
}

std::vector<RowPair> some_pairs() {
    return {{0, 1}, {3, 2}, {0, 7}, {11, 4}, {5, 5}, {0, 1}};
}

std::vector<ContextPair> some_contexts() {
    return {{0, 1, 1.0F}, {0, 5, -1.0F}, {3, 3, 1.0F}, {11, 0, -1.0F}, {0, 1, -1.0F}};
}

double distance(const DenseMatrix& x, Index i, Index j) {
    double sum = 0;
    for (Index k = 0; k < x.columns(); ++k)
        sum += std::pow(static_cast<double>(x.at(i, k)) - static_cast<double>(x.at(j, k)), 2);
    return std::sqrt(sum);
}

DenseMatrix scaled(DenseMatrix matrix, float factor) {
    for (float& number : matrix.numbers())
        number *= factor;
    return matrix;
}

float value_of(const Computation& compute, std::vector<DenseMatrix> inputs) {
    return evaluate(compute, inputs).at(0, 0);
}

std::vector<DenseMatrix> list(DenseMatrix first) {
    std::vector<DenseMatrix> result;
    result.push_back(std::move(first));
    return result;
}

std::vector<DenseMatrix> list(DenseMatrix first, DenseMatrix second) {
    std::vector<DenseMatrix> result = list(std::move(first));
    result.push_back(std::move(second));
    return result;
}

TEST_P(PairOperationOfWidth, NeighborDistanceDifferentiates) {
    const CsrMatrix<float> weights = some_weights();
    expect_right_gradients(list(matrix(1)), [&](Tape& tape, std::span<const Variable> in) {
        return neighbor_distance(tape, weights, in[0]);
    });
}

TEST_P(PairOperationOfWidth, NeighborDistanceIsTheWeightedMeanOverAllPairs) {
    const CsrMatrix<float> weights = some_weights();
    const DenseMatrix x = matrix(1);
    double sum = 0;
    double total = 0;
    for (Index i = 0; i < nodes; ++i) {
        const SparseRow<float> row = weights.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            sum += static_cast<double>(row.values[e]) * std::pow(distance(x, i, row.indices[e]), 2);
            total += static_cast<double>(row.values[e]);
        }
    }
    const Computation compute = [&](Tape& tape, std::span<const Variable> in) {
        return neighbor_distance(tape, weights, in[0]);
    };
    EXPECT_NEAR(value_of(compute, list(x)), sum / total, 1e-5 * sum / total);
}

TEST_P(PairOperationOfWidth, CrowdingDifferentiates) {
    // Distances around the margin; the pair {5, 5} has none and must not disturb.
    const auto margin = static_cast<float>(0.9 * std::sqrt(GetParam()));
    expect_right_gradients(list(matrix(2)), [&](Tape& tape, std::span<const Variable> in) {
        return crowding(tape, some_pairs(), margin, in[0]);
    });
}

TEST_P(PairOperationOfWidth, CrowdingIsTheMeanOfWhatIsMissing) {
    const DenseMatrix x = matrix(2);
    const double margin = 0.9 * std::sqrt(GetParam());
    double sum = 0;
    for (const auto& [i, j] : some_pairs())
        sum += std::pow(std::max(0.0, margin - distance(x, i, j)), 2);
    const Computation compute = [&](Tape& tape, std::span<const Variable> in) {
        return crowding(tape, some_pairs(), static_cast<float>(margin), in[0]);
    };
    EXPECT_NEAR(value_of(compute, list(x)), sum / 6, 1e-5 * sum);
}

TEST_P(PairOperationOfWidth, ContextLossDifferentiates) {
    expect_right_gradients(list(matrix(3), matrix(4)), [&](Tape& tape, std::span<const Variable> in) {
        return context_loss(tape, some_contexts(), in[0], in[1]);
    });
}

TEST_P(PairOperationOfWidth, ContextLossIsTheSumOfNegativeLogSigmoids) {
    const DenseMatrix x = matrix(3);
    const DenseMatrix c = matrix(4);
    double sum = 0;
    for (const auto& [i, j, sign] : some_contexts()) {
        double product = 0;
        for (Index k = 0; k < GetParam(); ++k)
            product += static_cast<double>(x.at(i, k)) * static_cast<double>(c.at(j, k));
        sum -= std::log(1.0 / (1.0 + std::exp(-static_cast<double>(sign) * product)));
    }
    const Computation compute = [&](Tape& tape, std::span<const Variable> in) {
        return context_loss(tape, some_contexts(), in[0], in[1]);
    };
    EXPECT_NEAR(value_of(compute, list(x, c)), sum, 1e-5 * sum);
}

TEST_P(PairOperationOfWidth, SoftmaxDifferentiates) {
    expect_right_gradients(list(matrix(6)),
                           [&](Tape& tape, std::span<const Variable> in) { return softmax(tape, in[0]); });
}

TEST(PairOperation, ContextLossDoesNotOverflow) {
    for (const float size : {1e3F, 1e10F}) {
        std::vector<DenseMatrix> inputs =
            list(scaled(random_matrix(nodes, 9, 3), size), scaled(random_matrix(nodes, 9, 4), size));
        const Computation compute = [&](Tape& tape, std::span<const Variable> in) {
            return context_loss(tape, some_contexts(), in[0], in[1]);
        };
        EXPECT_TRUE(std::isfinite(evaluate(compute, inputs).at(0, 0))) << size;
        DenseMatrix one(1, 1);
        one.at(0, 0) = 1.0F;
        for (const DenseMatrix& gradient : testing::tape_gradients(compute, inputs, one, one)) {
            for (const float number : gradient.numbers())
                ASSERT_TRUE(std::isfinite(number)) << size;
        }
    }
}

TEST(PairOperation, WithoutPairsEverythingIsZero) {
    const CsrMatrix<float> no_edges = csr_from_triplets(nodes, nodes, {});
    const std::vector<Computation> operations = {
        [&](Tape& tape, std::span<const Variable> in) { return neighbor_distance(tape, no_edges, in[0]); },
        [](Tape& tape, std::span<const Variable> in) { return crowding(tape, {}, 1.0F, in[0]); },
        [](Tape& tape, std::span<const Variable> in) { return context_loss(tape, {}, in[0], in[1]); }};
    DenseMatrix one(1, 1);
    one.at(0, 0) = 1.0F;
    const std::vector<DenseMatrix> inputs = list(random_matrix(nodes, 5, 1), random_matrix(nodes, 5, 2));
    for (const Computation& operation : operations) {
        EXPECT_EQ(evaluate(operation, inputs).at(0, 0), 0.0F);
        for (const DenseMatrix& gradient : testing::tape_gradients(operation, inputs, one, one)) {
            for (const float number : gradient.numbers())
                ASSERT_EQ(number, 0.0F);
        }
    }
}

TEST(PairOperation, RowsAtTheSamePlaceAreCrowdedButStayFinite) {
    DenseMatrix x(nodes, 4);
    const Computation compute = [](Tape& tape, std::span<const Variable> in) {
        return crowding(tape, some_pairs(), 2.0F, in[0]);
    };
    EXPECT_EQ(value_of(compute, list(x)), 4.0F);
    DenseMatrix one(1, 1);
    one.at(0, 0) = 1.0F;
    const std::vector<DenseMatrix> gradients = testing::tape_gradients(compute, list(x), one, one);
    for (const float number : gradients[0].numbers())
        EXPECT_EQ(number, 0.0F);
}

}  // namespace
}  // namespace hwgcn::pair_ops_test
