#include "methods/networks/context_pairs.hpp"

#include <cmath>
#include <map>
#include <queue>

#include <gtest/gtest.h>

#include "graph/random_graph.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::context_pairs_test {
namespace {

using testing::random_edges;

CsrMatrix<float> weights_of(Index nodes, std::vector<Edge> edges) {
    return *weighted_graph(Graph(nodes, std::move(edges))).matrix;
}

// Steps from `start` to every node; -1 where there is no way.
std::vector<int> distances(const CsrMatrix<float>& weights, Index start) {
    std::vector<int> result(static_cast<std::size_t>(weights.rows), -1);
    std::queue<Index> reached;
    result[start] = 0;
    for (reached.push(start); !reached.empty(); reached.pop()) {
        for (const Index next : weights.row(reached.front()).indices) {
            if (result[next] >= 0) continue;
            result[next] = result[reached.front()] + 1;
            reached.push(next);
        }
    }
    return result;
}

TEST(WalkContexts, LieWithinTheWindowAndTheComponent) {
    const CsrMatrix<float> weights = weights_of(80, random_edges(80, 70, 1));
    for (const int window : {1, 2, 3}) {
        int farthest = 0;
        for (const ContextPair& pair : walk_contexts(weights, {10, window, 20}, RandomStream(1, 2))) {
            if (pair.sign < 0) continue;
            const int distance = distances(weights, pair.node)[pair.context];
            ASSERT_GE(distance, 0) << "another component";
            ASSERT_LE(distance, window);
            farthest = std::max(farthest, distance);
        }
        EXPECT_EQ(farthest, window);
    }
}

TEST(WalkContexts, EveryNodeWithNeighborsWalksAndIsAnsweredByAsManyRandomNodes) {
    const Index nodes = 50;
    const CsrMatrix<float> weights = weights_of(nodes, random_edges(nodes, 30, 3));
    int walkers = 0;
    for (Index i = 0; i < nodes; ++i)
        walkers += weights.row(i).size() > 0 ? 1 : 0;
    ASSERT_LT(walkers, nodes);
    const std::vector<ContextPair> pairs = walk_contexts(weights, {10, 3, 7}, RandomStream(1, 2));
    ASSERT_EQ(pairs.size(), static_cast<std::size_t>(2 * 7 * walkers));
    for (std::size_t k = 0; k < pairs.size(); k += 2) {
        EXPECT_EQ(pairs[k].sign, 1.0F);
        EXPECT_EQ(pairs[k + 1].sign, -1.0F);
        EXPECT_EQ(pairs[k].node, pairs[k + 1].node);
    }
}

// From a node with edges of weight 1 and 3, a walk takes the second one three times out of four.
TEST(WalkContexts, FollowTheWeights) {
    const CsrMatrix<float> star =
        csr_from_triplets(3, 3, {{0, 1, 1.0F}, {1, 0, 1.0F}, {0, 2, 3.0F}, {2, 0, 3.0F}});
    int to_first = 0;
    int to_second = 0;
    for (std::uint64_t stream = 0; stream < 4000; ++stream) {
        for (const ContextPair& pair : walk_contexts(star, {1, 1, 1}, RandomStream(7, stream))) {
            if (pair.sign < 0) continue;
            // The walk of node 0 comes first.
            (pair.node == 1 || pair.context == 1 ? to_first : to_second) += 1;
            break;
        }
    }
    EXPECT_NEAR(static_cast<double>(to_second) / (to_first + to_second), 0.75, 4 * std::sqrt(0.1875 / 4000));
}

TEST(WalkContexts, RandomNodesAreUniform) {
    const Index nodes = 10;
    const CsrMatrix<float> weights = weights_of(nodes, {{0, 1}});
    std::vector<int> counts(10, 0);
    for (const ContextPair& pair : walk_contexts(weights, {2, 1, 20000}, RandomStream(5, 1)))
        counts[pair.context] += pair.sign < 0 ? 1 : 0;
    for (const int count : counts)
        EXPECT_NEAR(count, 4000, 5 * std::sqrt(40000 * 0.09));
}

TEST(WalkContexts, AGraphWithoutEdgesHasNone) {
    EXPECT_TRUE(walk_contexts(weights_of(5, {}), {}, RandomStream(1, 1)).empty());
}

TEST(LabelContexts, AreOfTheSameClassAndOfAnother) {
    const std::vector<Index> rows = {4, 9, 2, 30, 17, 8};
    const std::vector<Index> labels = {2, 0, 2, 5, 0, 2};
    std::map<Index, Index> class_of;
    for (std::size_t k = 0; k < rows.size(); ++k)
        class_of[rows[k]] = labels[k];
    const std::vector<ContextPair> pairs = label_contexts({rows, labels}, 2000, RandomStream(3, 1));
    ASSERT_EQ(pairs.size(), 2 * 2000 * rows.size());
    std::map<std::pair<Index, Index>, int> counts;
    for (const ContextPair& pair : pairs) {
        ASSERT_TRUE(class_of.contains(pair.node) && class_of.contains(pair.context));
        EXPECT_EQ(class_of[pair.node] == class_of[pair.context], pair.sign > 0);
        ++counts[{pair.node, pair.context}];
    }
    EXPECT_EQ(counts.size(), 36U);
    EXPECT_NEAR((counts[{4, 8}]), 2000.0 / 3, 120) << "three of its class";
    EXPECT_NEAR((counts[{4, 30}]), 2000.0 / 3, 120) << "three of others";
    EXPECT_NEAR((counts[{30, 8}]), 2000.0 / 5, 100) << "five of others";
    EXPECT_EQ((counts[{30, 30}]), 2000) << "the only one of its class";
}

TEST(LabelContexts, ThereAreNoneWithoutTwoClasses) {
    const std::vector<Index> rows = {4, 9};
    EXPECT_TRUE(label_contexts({rows, std::vector<Index>{1, 1}}, 5, RandomStream(3, 1)).empty());
    EXPECT_TRUE(label_contexts({}, 5, RandomStream(3, 1)).empty());
}

TEST(UnconnectedPairs, HaveNoEdge) {
    const CsrMatrix<float> weights = weights_of(30, random_edges(30, 100, 4));
    const std::vector<RowPair> pairs = unconnected_pairs(weights, 5000, RandomStream(2, 2));
    EXPECT_GT(pairs.size(), 3000U);
    for (const auto& [i, j] : pairs) {
        ASSERT_NE(i, j);
        ASSERT_GT(distances(weights, i)[j] == -1 ? 2 : distances(weights, i)[j], 1);
    }
}

TEST(UnconnectedPairs, ACompleteGraphHasNone) {
    EXPECT_TRUE(unconnected_pairs(weights_of(3, {{0, 1}, {0, 2}, {1, 2}}), 1000, RandomStream(2, 2)).empty());
    EXPECT_TRUE(unconnected_pairs(weights_of(1, {}), 1000, RandomStream(2, 2)).empty());
}

}  // namespace
}  // namespace hwgcn::context_pairs_test
