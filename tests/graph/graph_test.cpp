#include "hwgcn/graph/graph.hpp"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/support/error.hpp"

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

}  // namespace
}  // namespace hwgcn::graph_test
