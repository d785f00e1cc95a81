#include "hwgcn/graph/graph.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/base/error.hpp"

#include "graph/random_graph.hpp"

namespace hwgcn::graph_test {
namespace {

TEST(Graph, IsSymmetricSortedWithoutDuplicatesAndKeepsLoopsApart) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(1, 20);
        const auto edges =
            testing::random_edges(nodes, *rc::gen::inRange(0, 60), *rc::gen::arbitrary<std::uint64_t>());
        std::set<std::pair<Index, Index>> expected;
        std::set<Index> loops;
        for (const Edge& edge : edges) {
            if (edge.from == edge.to) {
                loops.insert(edge.from);
            } else {
                expected.insert({edge.from, edge.to});
                expected.insert({edge.to, edge.from});
            }
        }
        const Graph graph(nodes, edges);
        std::set<std::pair<Index, Index>> found;
        for (Index i = 0; i < nodes; ++i) {
            const auto neighbors = graph.neighbors(i);
            RC_ASSERT(std::is_sorted(neighbors.begin(), neighbors.end()));
            for (const Index j : neighbors)
                RC_ASSERT(found.insert({i, j}).second);
            RC_ASSERT(graph.has_self_loop(i) == loops.contains(i));
        }
        RC_ASSERT(found == expected);
        RC_ASSERT(graph.edges() * 2 == static_cast<std::int64_t>(expected.size()));
        RC_ASSERT(graph.self_loops() == static_cast<std::int64_t>(loops.size()));
    });
    EXPECT_TRUE(holds);
}

TEST(Graph, RefusesEdgesToNodesThatDoNotExist) {
    for (const Edge bad : {Edge{0, 3}, Edge{-1, 0}, Edge{5, 5}}) {
        EXPECT_THROW(Graph(3, std::vector<Edge>{bad}), InputError);
    }
}

TEST(Graph, MayBeEmpty) {
    const Graph graph(0, {});
    EXPECT_EQ(graph.nodes(), 0);
    EXPECT_EQ(graph.edges(), 0);
}

TEST(Graph, CountsAnExistingLoopTwiceInTheDegreeWithIdentity) {
    const Graph graph(2, std::vector<Edge>{{0, 0}, {0, 1}});
    EXPECT_EQ(graph.degree_with_identity(0), 3.0);
    EXPECT_EQ(graph.degree_with_identity(1), 2.0);
}

// The rows of some nodes; the others have none.
CsrMatrix<float> rows_of(const Graph& graph, const std::set<Index>& known) {
    std::vector<Triplet<float>> entries;
    for (const Index node : known) {
        for (std::size_t e = 0; e < graph.neighbors(node).size(); ++e)
            entries.push_back(
                {node, graph.neighbors(node)[e], graph.weighted() ? graph.weights(node)[e] : 1.0F});
        if (graph.has_self_loop(node))
            entries.push_back({node, node, static_cast<float>(graph.loop_weight(node))});
    }
    return csr_from_triplets(graph.nodes(), graph.nodes(), std::move(entries));
}

TEST(Graph, OfSomeListsKnowsThemAsTheWholeDoes) {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 1}, {4, 0}, {2, 0}};
    const std::vector<float> weights = {0.3F, 1.7F, 2.0F, 0.9F, 0.4F, 1.1F, 0.7F};
    for (const Graph& whole : {Graph(5, edges), Graph(5, edges, weights)}) {
        const std::set<Index> known = {1, 2, 4};
        const Graph some = Graph::from_rows(rows_of(whole, known), whole.weighted(), whole.weight_unit());
        EXPECT_EQ(some.nodes(), 5);
        EXPECT_EQ(some.weighted(), whole.weighted());
        EXPECT_EQ(some.weight_unit(), whole.weight_unit());
        EXPECT_TRUE(some.neighbors(0).empty());
        for (const Index node : known) {
            EXPECT_TRUE(std::ranges::equal(some.neighbors(node), whole.neighbors(node)));
            EXPECT_TRUE(std::ranges::equal(some.weights(node), whole.weights(node)));
            EXPECT_EQ(some.loop_weight(node), whole.loop_weight(node));
            EXPECT_EQ(some.degree_with_identity(node), whole.degree_with_identity(node));
        }
        const Graph told = Graph::from_rows(rows_of(whole, {}), whole.weighted(), whole.weight_unit(),
                                            {0.5, 1.5, 2.5, 3.5, 4.5});
        EXPECT_EQ(told.weighted(), whole.weighted());
        EXPECT_EQ(told.degree_with_identity(2), 2.5) << "whatever its list has";
        if (!whole.weighted()) continue;
        const Graph heavy = heavy_edges(whole, 0.9);
        const Graph lists = heavy_lists(some, 0.9);
        for (const Index node : known) {
            EXPECT_TRUE(std::ranges::equal(lists.neighbors(node), heavy.neighbors(node)));
            EXPECT_EQ(lists.has_self_loop(node), heavy.has_self_loop(node));
        }
        EXPECT_EQ(heavy_lists(some, 99).edges(), 0) << "there may be none";
    }
}

}  // namespace
}  // namespace hwgcn::graph_test
