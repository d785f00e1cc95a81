// Orders in which neighbors are near each other.
#include "graph/node_order.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"

#include "graph/random_graph.hpp"

namespace hwgcn::node_order_test {
namespace {

Graph renumbered(const Graph& graph, const std::vector<Index>& order) {
    std::vector<Index> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        place[order[k]] = static_cast<Index>(k);
    std::vector<Edge> edges;
    for (Index node = 0; node < graph.nodes(); ++node) {
        for (const Index neighbor : graph.neighbors(node))
            edges.push_back({place[node], place[neighbor]});
    }
    return Graph(graph.nodes(), edges);
}

// Every node once, in its old order within its block; no block is empty.
bool is_whole(const NodeOrder& found, Index nodes) {
    std::vector<Index> sorted = found.order;
    std::ranges::sort(sorted);
    const std::vector<Index>& bounds = found.blocks.bounds;
    bool whole = std::ssize(sorted) == nodes && bounds.front() == 0 && bounds.back() == nodes;
    for (Index node = 0; whole && node < nodes; ++node)
        whole = sorted[node] == node;
    for (std::size_t block = 0; whole && block + 1 < bounds.size(); ++block) {
        const auto begin = found.order.begin() + bounds[block];
        const auto end = found.order.begin() + bounds[block + 1];
        whole = begin < end && std::is_sorted(begin, end);
    }
    return whole;
}

TEST(GreedyOrder, HasEveryNodeOnceInBlocksOfATenthMoreAtMost) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(1, 60);
        const Graph graph(nodes, testing::random_edges(nodes, *rc::gen::inRange(0, 150),
                                                       *rc::gen::arbitrary<std::uint64_t>()));
        const Index size = *rc::gen::inRange(1, 70);
        const NodeOrder found = greedy_order(graph, size);
        RC_ASSERT(is_whole(found, nodes));
        const std::vector<Index>& bounds = found.blocks.bounds;
        for (Index block = 0; block < found.blocks.count(); ++block) {
            const Index own = bounds[block + std::size_t{1}] - bounds[block];
            RC_ASSERT(own <= std::max<Index>(size, static_cast<Index>(1.1 * size)));
        }
        RC_ASSERT(greedy_order(graph, size).order == found.order);
    });
    EXPECT_TRUE(holds);
}

// Four cliques whose nodes take turns in the numbering, joined in a ring.
TEST(GreedyOrder, FindsCliques) {
    std::vector<Edge> edges;
    for (Index clique = 0; clique < 4; ++clique) {
        for (Index a = 0; a < 10; ++a) {
            for (Index b = 0; b < a; ++b)
                edges.push_back({4 * a + clique, 4 * b + clique});
        }
        edges.push_back({clique, (clique + 1) % 4});
    }
    const Graph graph(40, edges);
    const NodeOrder found = greedy_order(graph, 10);
    ASSERT_EQ(found.blocks.bounds, (std::vector<Index>{0, 10, 20, 30, 40}));
    for (std::size_t k = 0; k < found.order.size(); ++k)
        EXPECT_EQ(found.order[k] % 4, found.order[k / 10 * 10] % 4);
    EXPECT_NEAR(share_within_blocks(renumbered(graph, found.order), found.blocks), 180.0 / 184.0, 1e-12);
    EXPECT_LT(share_within_blocks(graph, even_blocks(40, 10)), 0.3);
}

TEST(GreedyOrder, TakesNodesWithoutNeighbors) {
    const Graph graph(7, std::vector<Edge>{});
    const NodeOrder found = greedy_order(graph, 3);
    EXPECT_EQ(found.order, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(found.blocks.bounds, (std::vector<Index>{0, 3, 6, 7}));
    EXPECT_EQ(share_within_blocks(graph, found.blocks), 1.0);
}

TEST(GreedyOrder, PutsTogetherWhatTheGeneratorConnects) {
    SyntheticOptions options;
    options.nodes = 3000;
    options.mean_degree = 6;
    const Dataset dataset = make_synthetic(options);
    const Graph graph(dataset.nodes, dataset.edges);
    const NodeOrder found = greedy_order(graph, 100);
    const double before = share_within_blocks(graph, even_blocks(3000, 100));
    EXPECT_GT(share_within_blocks(renumbered(graph, found.order), found.blocks), 3 * before + 0.1);
}

class MetisOrder : public ::testing::Test {
  protected:
    void SetUp() override {
        if (has_metis()) return;
        EXPECT_THROW(metis_order(Graph(2, std::vector<Edge>{{0, 1}}), 1), InputError);
        GTEST_SKIP() << "no METIS";
    }
};

TEST_F(MetisOrder, HasEveryNodeOnceAndIsTheSameEveryTime) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(1, 200);
        const Graph graph(nodes, testing::random_edges(nodes, *rc::gen::inRange(0, 500),
                                                       *rc::gen::arbitrary<std::uint64_t>()));
        const Index size = *rc::gen::inRange(1, 210);
        const NodeOrder found = metis_order(graph, size);
        RC_ASSERT(is_whole(found, nodes));
        RC_ASSERT(found.blocks.count() <= even_blocks(nodes, size).count());
        const NodeOrder again = metis_order(graph, size);
        RC_ASSERT(again.order == found.order);
        RC_ASSERT(again.blocks.bounds == found.blocks.bounds);
    });
    EXPECT_TRUE(holds);
}

TEST_F(MetisOrder, TakesGraphsThatMetisDoesNot) {
    for (const std::vector<Edge>& edges : {std::vector<Edge>{}, {{3, 3}, {5, 5}}}) {
        const NodeOrder found = metis_order(Graph(7, edges), 3);
        EXPECT_EQ(found.order, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6}));
        EXPECT_EQ(found.blocks.bounds, (std::vector<Index>{0, 3, 6, 7}));
    }
    const NodeOrder single = metis_order(Graph(4, std::vector<Edge>{{0, 1}, {2, 3}}), 4);
    EXPECT_EQ(single.blocks.bounds, (std::vector<Index>{0, 4}));
    EXPECT_EQ(metis_order(Graph(0, std::vector<Edge>{}), 4).blocks.count(), 0);
}

TEST_F(MetisOrder, KeepsMoreEdgesWithinBlocksThanGreedy) {
    const Dataset dataset = make_synthetic({.nodes = 3000, .mean_degree = 6});
    const Graph graph(dataset.nodes, dataset.edges);
    const NodeOrder greedy = greedy_order(graph, 100);
    const NodeOrder metis = metis_order(graph, 100);
    EXPECT_GT(share_within_blocks(renumbered(graph, metis.order), metis.blocks),
              share_within_blocks(renumbered(graph, greedy.order), greedy.blocks));
    for (Index block = 0; block < metis.blocks.count(); ++block)
        EXPECT_LE(metis.blocks.bounds[block + std::size_t{1}] - metis.blocks.bounds[block], 120);
}

}  // namespace
}  // namespace hwgcn::node_order_test
