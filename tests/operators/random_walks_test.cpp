#include "operators/random_walks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "methods/embedding/alias_table.hpp"
#include "methods/embedding/huffman_tree.hpp"
#include "methods/embedding/walk_pairs.hpp"
#include "methods/small_graphs.hpp"

namespace hwgcn::testing::random_walks_test {
namespace {

CsrMatrix<float> weights_of(Index nodes, const std::vector<Triplet<float>>& edges) {
    std::vector<Triplet<float>> both = edges;
    for (const Triplet<float>& edge : edges)
        both.push_back({edge.column, edge.row, edge.value});
    return csr_from_triplets(nodes, nodes, std::move(both));
}

// Chi-square of counts against shares; its mean is the number of counts less one.
double chi_square(const std::vector<double>& counts, const std::vector<double>& shares, double draws) {
    double sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k)
        sum += (counts[k] - draws * shares[k]) * (counts[k] - draws * shares[k]) / (draws * shares[k]);
    return sum;
}

std::vector<double> first_steps(const CsrMatrix<float>& weights, Index from, int draws) {
    const RandomWalker walker(weights);
    std::vector<double> counts(static_cast<std::size_t>(weights.rows));
    RandomStream random(3, 0);
    std::vector<Index> walk(2);
    for (int k = 0; k < draws; ++k) {
        walker.walk(from, random, walk);
        EXPECT_EQ(walk[0], from);
        ++counts[walk[1]];
    }
    return counts;
}

TEST(RandomWalks, AStepGoesToEveryNeighborEquallyOften) {
    const CsrMatrix<float> star = weights_of(5, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {0, 4, 1}});
    const std::vector<double> counts = first_steps(star, 0, 20000);
    EXPECT_EQ(counts[0], 0.0);
    EXPECT_LT(chi_square({counts.begin() + 1, counts.end()}, {0.25, 0.25, 0.25, 0.25}, 20000), 16.3);
}

TEST(RandomWalks, AStepFollowsTheWeightsAndNeverAnEdgeOfWeightZero) {
    const CsrMatrix<float> star = weights_of(5, {{0, 1, 0.5F}, {0, 2, 1.5F}, {0, 3, 2}, {0, 4, 0}});
    const std::vector<double> counts = first_steps(star, 0, 20000);
    EXPECT_EQ(counts[4], 0.0);
    EXPECT_LT(chi_square({counts.begin() + 1, counts.begin() + 4}, {0.125, 0.375, 0.5}, 20000), 13.8);
    EXPECT_EQ(RandomWalker(star).starts(), (std::vector<Index>{0, 1, 2, 3}));
}

TEST(RandomWalks, EveryStepIsAnEdgeAndALongWalkVisitsNodesInProportionToTheirStrength) {
    const CsrMatrix<float> weights = weights_of(6, {{0, 1, 1}, {1, 2, 3}, {0, 2, 2}, {2, 3, 1}, {4, 5, 7}});
    const RandomWalker walker(weights);
    RandomStream random(1, 1);
    std::vector<Index> walk(60000);
    walker.walk(0, random, walk);
    std::vector<double> visits(6);
    for (std::size_t k = 0; k < walk.size(); ++k) {
        ++visits[walk[k]];
        if (k == 0) continue;
        const std::span<const Index> neighbors = weights.row(walk[k - 1]).indices;
        ASSERT_TRUE(std::ranges::binary_search(neighbors, walk[k]));
    }
    EXPECT_EQ(visits[4] + visits[5], 0.0) << "another component";
    for (Index i = 0; i < 4; ++i)
        EXPECT_NEAR(visits[i] / 60000.0, walker.strength(i) / 14.0, 0.01) << i;
}

// Pairs as a set that does not care for blocks.
std::multiset<std::pair<Index, Index>> all_pairs(const PairBlocks& blocks) {
    std::multiset<std::pair<Index, Index>> pairs;
    for (const WalkPair& pair : blocks.pairs)
        pairs.insert({pair.centre, pair.context});
    return pairs;
}

TEST(WalkPairs, BlocksHoldTheSamePairsAsNoBlocksWithEachNodeInItsBucket) {
    const SmallGraph graph(50, random_edges(50, 120, 1), 2);
    const RandomWalker walker(*graph.weights.matrix);
    const std::vector<Index> starts = walker.starts();
    std::vector<std::uint8_t> buckets(50);
    const PairBlocks whole = collect_pairs(walker, starts, {12, 3}, 7, 2, buckets, 1, {1});
    for (Index i = 0; i < 50; ++i)
        buckets[i] = static_cast<std::uint8_t>(i % 4);
    const PairBlocks blocks = collect_pairs(walker, starts, {12, 3}, 7, 2, buckets, 4, {3});
    EXPECT_EQ(all_pairs(blocks), all_pairs(whole));
    EXPECT_LE(whole.pairs.size(), starts.size() * most_pairs({12, 3}));
    for (int centre = 0; centre < 4; ++centre) {
        for (int context = 0; context < 4; ++context) {
            for (const WalkPair& pair : blocks.block(centre, context)) {
                EXPECT_EQ(pair.centre % 4, centre);
                EXPECT_EQ(pair.context % 4, context);
            }
        }
    }
}

TEST(WalkPairs, AWindowOfOnePairsEveryNodeWithTheOnesBeforeAndAfterIt) {
    const SmallGraph graph(8, path(8), 2);
    const RandomWalker walker(*graph.weights.matrix);
    const std::vector<Index> starts = {3};
    const std::vector<std::uint8_t> bucket(8);
    const PairBlocks blocks = collect_pairs(walker, starts, {5, 1}, 0, 0, bucket, 1, {1});
    EXPECT_EQ(blocks.pairs.size(), 8U);
    for (const WalkPair& pair : blocks.pairs)
        EXPECT_EQ(std::abs(pair.centre - pair.context), 1);
}

TEST(AliasTable, DrawsInProportionToTheWeights) {
    const std::vector<Index> nodes = {5, 2, 9, 4};
    const std::vector<double> weights = {1, 4, 0.5, 2.5};
    const AliasTable table(nodes, weights);
    // Evenly spaced bits stand for all of them.
    std::map<Index, double> counts;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 65521)
        ++counts[table.draw(static_cast<std::uint32_t>(bits))];
    const double draws = 0x1.0p32 / 65521;
    for (std::size_t k = 0; k < nodes.size(); ++k)
        EXPECT_NEAR(counts[nodes[k]] / draws, weights[k] / 8.0, 1e-4);
    EXPECT_EQ(counts.size(), 4U);
}

TEST(HuffmanTree, WaysFromTheRootTellAllLeavesApartAndAreShortOnAverage) {
    const std::vector<double> weights = {5, 1, 0, 1, 2, 7};
    const HuffmanTree tree(weights);
    EXPECT_EQ(tree.inner_nodes(), 4);
    std::set<std::vector<std::pair<Index, float>>> ways;
    double cost = 0;
    for (const Index leaf : {0, 1, 3, 4, 5}) {
        std::vector<SkipGramTarget> targets;
        tree.add_path(leaf, targets);
        cost += weights[leaf] * static_cast<double>(targets.size());
        std::vector<std::pair<Index, float>> way;
        for (const SkipGramTarget& target : targets)
            way.emplace_back(target.row, target.label);
        ways.insert(way);
    }
    EXPECT_EQ(ways.size(), 5U);
    EXPECT_EQ(cost, 2 + 4 + 9 + 16) << "the weights of the inner nodes of the best tree";
    std::vector<SkipGramTarget> none;
    tree.add_path(2, none);
    EXPECT_TRUE(none.empty()) << "a node that is never met is no leaf";
}

// 1 and 2 are joined to 3, that and the leaf 3 to 6; 4 and 5 are lighter than 6 and are joined first.
TEST(HuffmanTree, AJointWeighsAsMuchAsBothOfItsParts) {
    const std::vector<double> weights = {1, 2, 3, 4, 5};
    const HuffmanTree tree(weights);
    std::vector<std::size_t> depths;
    for (Index leaf = 0; leaf < 5; ++leaf) {
        std::vector<SkipGramTarget> targets;
        tree.add_path(leaf, targets);
        depths.push_back(targets.size());
    }
    EXPECT_EQ(depths, (std::vector<std::size_t>{3, 3, 2, 2, 2}));
}

}  // namespace
}  // namespace hwgcn::testing::random_walks_test
