#include "operators/propagated_features.hpp"

#include <thread>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "autodiff/small_field.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::propagated_features_test {
namespace {

using testing::random_propagation;
using testing::shared_features;

constexpr Index nodes = 50;
constexpr Index columns = 70;  // more than one block of columns
const MeanOfPowers powers{3, 0.5F};

// A X in double precision.
std::vector<std::vector<double>> expected_product(const Propagation& propagation,
                                                  const CsrMatrix<float>& features) {
    std::vector<std::vector<double>> power(nodes, std::vector<double>(columns, 0.0)), sum = power;
    for (Index i = 0; i < nodes; ++i) {
        const SparseRow<float> row = features.row(i);
        for (std::size_t e = 0; e < row.size(); ++e)
            power[i][row.indices[e]] = static_cast<double>(row.values[e]);
    }
    for (int t = 0; t <= powers.steps; ++t) {
        std::vector<std::vector<double>> next(nodes, std::vector<double>(columns, 0.0));
        for (Index i = 0; i < nodes; ++i) {
            for (Index k = 0; k < columns; ++k)
                sum[i][k] += 0.5 * power[i][k] / 4;
            const SparseRow<float> row = propagation.matrix->row(i);
            for (std::size_t e = 0; e < row.size(); ++e) {
                for (Index k = 0; k < columns; ++k)
                    next[i][k] += static_cast<double>(row.values[e]) * power[row.indices[e]][k];
            }
        }
        power = std::move(next);
    }
    return sum;
}

TEST(RandomGroups, AreOfEqualSizeAndAlwaysTheSame) {
    const std::vector<int> group_of = random_groups(103, 8);
    std::vector<int> sizes(8, 0);
    for (const int group : group_of)
        ++sizes.at(static_cast<std::size_t>(group));
    for (const int size : sizes)
        EXPECT_TRUE(size == 12 || size == 13) << size;
    EXPECT_EQ(group_of, random_groups(103, 8));
    std::vector<int> in_turn;
    for (int node = 0; node < 103; ++node)
        in_turn.push_back(node % 8);
    EXPECT_NE(group_of, in_turn);
}

TEST(PropagatedFeatures, GroupsAddUpToAllFeaturesPropagated) {
    const Propagation propagation = random_propagation(nodes, 80, 0.02, 1);
    const auto features = shared_features(nodes, columns, 0.1, 2);
    const auto expected = expected_product(propagation, *features);
    PropagatedFeatures made;
    const auto groups = made.groups(propagation, features, powers, 7, {2});
    ASSERT_EQ(groups->parts.size(), 7U);
    for (Index i = 0; i < nodes; ++i) {
        for (Index k = 0; k < columns; ++k) {
            double sum = 0;
            for (const DenseMatrix& part : groups->parts)
                sum += static_cast<double>(part.at(i, k));
            EXPECT_NEAR(sum, expected[i][k], 1e-6);
        }
    }
}

TEST(PropagatedFeatures, AreMadeOnceHoweverManyWantThem) {
    const Propagation propagation = random_propagation(nodes, 80, 0.02, 1);
    const auto features = shared_features(nodes, columns, 0.1, 2);
    PropagatedFeatures made;
    std::vector<std::shared_ptr<const NodeGroups>> found(6);
    {
        std::vector<std::jthread> threads;
        for (auto& one : found)
            threads.emplace_back([&] { one = made.groups(propagation, features, powers, 5, {1}); });
    }
    for (const auto& one : found) {
        EXPECT_EQ(one, found.front());
        for (const DenseMatrix& part : one->parts)
            EXPECT_EQ(part.rows(), nodes);
    }
    EXPECT_NE(made.groups(propagation, features, {2, 0.5F}, 5, {1}), found.front());
}

TEST(PropagatedFeatures, WhoeverIsStoppedLeavesTheRestToTheNext) {
    const Propagation propagation = random_propagation(nodes, 80, 0.02, 1);
    const auto features = shared_features(nodes, columns, 0.1, 2);
    PropagatedFeatures made, other;
    const std::atomic<bool> stop = true;
    EXPECT_THROW(made.groups(propagation, features, powers, 5, {1, nullptr, &stop}), Interrupted);
    const auto groups = made.groups(propagation, features, powers, 5, {1});
    const auto expected = other.groups(propagation, features, powers, 5, {1});
    for (std::size_t g = 0; g < 5; ++g) {
        for (std::size_t k = 0; k < groups->parts[g].numbers().size(); ++k)
            ASSERT_EQ(groups->parts[g].numbers()[k], expected->parts[g].numbers()[k]);
    }
}

}  // namespace
}  // namespace hwgcn::propagated_features_test
