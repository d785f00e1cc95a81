#include "graph/rings.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "graph/random_graph.hpp"

namespace hwgcn::rings_test {
namespace {

constexpr int unreachable = std::numeric_limits<int>::max() / 2;

// The oracle: all pairs of distances by Floyd and Warshall, nothing in common with a breadth-first search.
std::vector<std::vector<int>> all_distances(Index nodes, const std::vector<Edge>& edges) {
    std::vector<std::vector<int>> distance(nodes, std::vector<int>(nodes, unreachable));
    for (Index i = 0; i < nodes; ++i)
        distance[i][i] = 0;
    for (const Edge& e : edges) {
        if (e.from != e.to) distance[e.from][e.to] = distance[e.to][e.from] = 1;
    }
    for (Index k = 0; k < nodes; ++k) {
        for (Index i = 0; i < nodes; ++i) {
            for (Index j = 0; j < nodes; ++j) {
                distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
            }
        }
    }
    return distance;
}

// The oracle for powers: booleans multiplied as matrices.
std::vector<std::vector<char>> boolean_power(Index nodes, const std::vector<Edge>& edges, int order) {
    std::vector<std::vector<char>> a(nodes, std::vector<char>(nodes, 0));
    for (const Edge& e : edges)
        a[e.from][e.to] = a[e.to][e.from] = 1;
    auto power = a;
    for (int k = 2; k <= order; ++k) {
        std::vector<std::vector<char>> next(nodes, std::vector<char>(nodes, 0));
        for (Index i = 0; i < nodes; ++i) {
            for (Index m = 0; m < nodes; ++m) {
                for (Index j = 0; power[i][m] != 0 && j < nodes; ++j)
                    next[i][j] = next[i][j] | a[m][j];
            }
        }
        power = next;
    }
    return power;
}

std::set<Index> as_set(std::span<const Index> members) {
    std::set<Index> result(members.begin(), members.end());
    EXPECT_EQ(result.size(), members.size()) << "a member is listed twice";
    return result;
}

struct RandomCase {
    Index nodes;
    std::vector<Edge> edges;
};

RandomCase random_case() {
    const Index nodes = *rc::gen::inRange(1, 30);
    const int count = *rc::gen::inRange(0, 2 * nodes);
    return {nodes, testing::random_edges(nodes, count, *rc::gen::arbitrary<std::uint64_t>())};
}

TEST(Rings, HoldExactlyTheNodesAtThatDistance) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const Graph graph(c.nodes, c.edges);
        const auto distance = all_distances(c.nodes, c.edges);
        RingSearch search(graph);
        for (Index i = 0; i < c.nodes; ++i) {
            for (int order = 1; order <= 6; ++order) {
                std::set<Index> expected;
                for (Index j = 0; j < c.nodes; ++j) {
                    if (distance[i][j] == order) expected.insert(j);
                }
                RC_ASSERT(as_set(search.ring(i, order)) == expected);
            }
        }
    });
    EXPECT_TRUE(holds);
}

// Corollary 1: A^(p) and A^(q) have no entry in common for p != q; and rings are symmetric.
TEST(Rings, OfDifferentOrdersNeverOverlap) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const Graph graph(c.nodes, c.edges);
        RingSearch search(graph);
        std::vector<std::vector<int>> order_of(c.nodes, std::vector<int>(c.nodes, 0));
        for (Index i = 0; i < c.nodes; ++i) {
            const auto rings = search.rings(i, 8);
            RC_ASSERT(rings.size() == 8U);
            for (int order = 1; order <= 8; ++order) {
                for (const Index j : rings[order - 1]) {
                    RC_ASSERT(j != i);
                    RC_ASSERT(order_of[i][j] == 0);
                    order_of[i][j] = order;
                }
            }
        }
        for (Index i = 0; i < c.nodes; ++i) {
            for (Index j = 0; j < c.nodes; ++j)
                RC_ASSERT(order_of[i][j] == order_of[j][i]);
        }
    });
    EXPECT_TRUE(holds);
}

TEST(Rings, ByPowersHoldTheNonZerosOfThePowerExceptTheNodeItself) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const Graph graph(c.nodes, c.edges);
        RingSearch search(graph);
        for (int order = 1; order <= 4; ++order) {
            const auto power = boolean_power(c.nodes, c.edges, order);
            for (Index i = 0; i < c.nodes; ++i) {
                std::set<Index> expected;
                for (Index j = 0; j < c.nodes; ++j) {
                    if (power[i][j] != 0 && j != i) expected.insert(j);
                }
                RC_ASSERT(as_set(search.ring(i, order, Neighborhood::power)) == expected);
            }
        }
    });
    EXPECT_TRUE(holds);
}

TEST(Rings, ComeInTheSameOrderEveryTime) {
    const Graph graph(50, testing::random_edges(50, 100, 7));
    RingSearch used(graph);
    for (Index i = 0; i < 50; ++i)
        used.ring(i, 3);
    RingSearch fresh(graph);
    for (Index i = 0; i < 50; ++i) {
        const auto a = used.ring(i, 3);
        const auto b = fresh.ring(i, 3);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
}

TEST(Rings, OfAnIsolatedNodeAreEmpty) {
    const Graph graph(3, std::vector<Edge>{{0, 1}, {2, 2}});
    RingSearch search(graph);
    EXPECT_TRUE(search.ring(2, 2).empty());
    EXPECT_TRUE(search.ring(2, 2, Neighborhood::power).empty());
    EXPECT_TRUE(search.ring(0, 2).empty());
}

}  // namespace
}  // namespace hwgcn::rings_test
