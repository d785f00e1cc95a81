// Samples of rings: which members they have, in what order, and how much is read to find them.
#include "graph/sample_order.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/base/error.hpp"

#include "graph/random_graph.hpp"
#include "graph/rings.hpp"

namespace hwgcn::sample_order_test {
namespace {

struct RandomCase {
    Index nodes;
    std::vector<Edge> edges;
};

RandomCase random_case() {
    const Index nodes = *rc::gen::inRange(1, 60);
    const int count = *rc::gen::inRange(0, 4 * nodes);
    return {nodes, testing::random_edges(nodes, count, *rc::gen::arbitrary<std::uint64_t>())};
}

RingSearch sampled_search(const Graph& graph, std::int64_t limit, std::span<const Index> numbers = {}) {
    return {graph, std::make_shared<const SampleOrder>(graph, numbers), limit};
}

std::set<Index> as_set(std::span<const Index> members) {
    std::set<Index> result(members.begin(), members.end());
    EXPECT_EQ(result.size(), members.size()) << "a member is listed twice";
    return result;
}

// The definition: of the neighbors of the sample before that are in no sample yet, the first by hash.
std::vector<std::set<Index>> expected_rings(const Graph& graph, Index node, int max_order,
                                            std::size_t limit) {
    const auto earlier = [](Index a, Index b) {
        return sample_hash(static_cast<std::uint64_t>(a)) < sample_hash(static_cast<std::uint64_t>(b));
    };
    std::vector<std::set<Index>> rings = {{node}};
    std::set<Index> chosen = {node};
    for (int order = 1; order <= max_order; ++order) {
        std::set<Index> found;
        for (const Index member : rings.back()) {
            for (const Index neighbor : graph.neighbors(member)) {
                if (!chosen.contains(neighbor)) found.insert(neighbor);
            }
        }
        std::vector<Index> ring(found.begin(), found.end());
        std::ranges::sort(ring, earlier);
        if (order > 1 && ring.size() > limit) ring.resize(limit);
        chosen.insert(ring.begin(), ring.end());
        rings.emplace_back(ring.begin(), ring.end());
    }
    return rings;
}

TEST(SampleOrder, GoesByTheHashAndHasEveryNeighborOnce) {
    const Graph graph(200, testing::random_edges(200, 900, 3));
    const SampleOrder order(graph);
    for (Index place = 0; place < 200; ++place) {
        EXPECT_EQ(order.place(order.node_at(place)), place);
        if (place == 0) continue;
        EXPECT_LT(sample_hash(static_cast<std::uint64_t>(order.node_at(place - 1))),
                  sample_hash(static_cast<std::uint64_t>(order.node_at(place))));
    }
    for (Index node = 0; node < 200; ++node) {
        const auto places = order.neighbors(node);
        EXPECT_TRUE(std::ranges::is_sorted(places));
        std::vector<Index> neighbors;
        for (const Index place : places)
            neighbors.push_back(order.node_at(place));
        std::ranges::sort(neighbors);
        EXPECT_TRUE(std::ranges::equal(neighbors, graph.neighbors(node)));
    }
}

// As a process has them that shares the graph with others: the outermost nodes have no list.
TEST(SampleOrder, OrdersListsThatAreNotSymmetric) {
    CsrMatrix<float> lists{5, 5, {0, 2, 5, 5, 5, 5}, {1, 4, 0, 2, 3}, {1, 1, 1, 1, 1}};
    const Graph graph = Graph::from_rows(lists, false, 1.0);
    const SampleOrder order(graph);
    for (Index node = 0; node < 5; ++node) {
        std::vector<Index> expected;
        for (const Index neighbor : graph.neighbors(node))
            expected.push_back(order.place(neighbor));
        std::ranges::sort(expected);
        EXPECT_TRUE(std::ranges::equal(order.neighbors(node), expected)) << node;
    }
}

// Part of every key: other hashes are other results.
TEST(SampleOrder, TheHashStaysWhatItIs) {
    EXPECT_EQ(sample_hash(0), 0xe220a8397b1dcdafU);
    EXPECT_EQ(sample_hash(0x9e3779b97f4a7c15U), 0x6e789e6aa1b965f4U);
}

TEST(SampleOrder, ExpectsANumberPerNode) {
    const Graph graph(3, std::vector<Edge>{{0, 1}});
    EXPECT_THROW(SampleOrder(graph, std::vector<Index>{1, 2}), InputError);
    EXPECT_THROW(sampled_search(graph, 0), InputError);
    const auto other = std::make_shared<const SampleOrder>(Graph(4, std::vector<Edge>{{0, 1}}));
    EXPECT_THROW(RingSearch(graph, other, 2), InputError);
}

TEST(SampledRings, HaveTheFirstMembersByHashOfWhatTheSampleBeforeReaches) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const Graph graph(c.nodes, c.edges);
        const int limit = *rc::gen::inRange(1, 12);
        RingSearch search = sampled_search(graph, limit);
        RingSearch whole(graph);
        for (Index node = 0; node < c.nodes; ++node) {
            const auto expected = expected_rings(graph, node, 5, static_cast<std::size_t>(limit));
            bool cut = false;
            for (int order = 1; order <= 5; ++order) {
                const auto ring = search.ring(node, order);
                RC_ASSERT(as_set(ring) == expected[order]);
                const auto full = whole.ring(node, order);
                cut = cut || (order > 1 && full.size() > static_cast<std::size_t>(limit));
                RC_ASSERT(search.has_cut() == cut);
                if (!cut) RC_ASSERT(std::ranges::equal(ring, full));
            }
        }
    });
    EXPECT_TRUE(holds);
}

// The order in which breadth-first search meets the members that were chosen.
TEST(SampledRings, ComeInTheOrderOfDiscovery) {
    const Graph graph(300, testing::random_edges(300, 1500, 11));
    for (const int limit : {1, 4, 20, 1000}) {
        RingSearch search = sampled_search(graph, limit);
        RingSearch whole(graph);
        for (Index node = 0; node < 300; ++node) {
            const auto ring = search.ring(node, 2);
            const std::set<Index> members = as_set(ring);
            std::vector<Index> expected;
            for (const Index member : whole.ring(node, 2)) {
                if (members.contains(member)) expected.push_back(member);
            }
            EXPECT_TRUE(std::ranges::equal(ring, expected)) << node;
        }
    }
}

TEST(SampledRings, ANumberingThatCarriesTheHashGivesTheSameMembers) {
    constexpr Index nodes = 120;
    const std::vector<Edge> edges = testing::random_edges(nodes, 500, 5);
    std::vector<Index> renamed(nodes);  // by node, its other name
    std::iota(renamed.begin(), renamed.end(), 0);
    RandomStream(17, 0).shuffle(std::span(renamed));
    std::vector<Index> numbers(nodes);  // by other name, the node
    for (Index node = 0; node < nodes; ++node)
        numbers[renamed[node]] = node;
    std::vector<Edge> other_edges;
    for (const Edge& edge : edges)
        other_edges.push_back({renamed[edge.from], renamed[edge.to]});
    const Graph graph(nodes, edges);
    const Graph other(nodes, other_edges);
    RingSearch search = sampled_search(graph, 7);
    RingSearch other_search = sampled_search(other, 7, numbers);
    for (Index node = 0; node < nodes; ++node) {
        for (int order = 2; order <= 4; ++order) {
            std::set<Index> expected;
            for (const Index member : search.ring(node, order))
                expected.insert(renamed[member]);
            EXPECT_EQ(as_set(other_search.ring(renamed[node], order)), expected);
        }
    }
}

// A hub of 20,000 leaves, alone or each with two others as neighbors: whole searches from the leaves would
// read 400 million entries.
TEST(SampledRings, OfTheLeavesOfAHubReadANumberOfEntriesThatTheSampleBounds) {
    constexpr Index leaves = 20'000;
    constexpr std::int64_t limit = 64;
    std::vector<Edge> star;
    std::vector<Edge> wheel;
    for (Index leaf = 1; leaf <= leaves; ++leaf) {
        star.push_back({0, leaf});
        wheel.push_back({0, leaf});
        wheel.push_back({leaf, leaf % leaves + 1});
    }
    const Graph star_graph(leaves + 1, star);
    RingSearch whole(star_graph);
    whole.ring(1, 2);
    EXPECT_EQ(whole.entries_read(), 1 + leaves);
    RingSearch search = sampled_search(star_graph, limit);
    for (Index leaf = 1; leaf <= leaves; ++leaf)
        EXPECT_EQ(search.ring(leaf, 2).size(), 64U);
    EXPECT_LE(search.entries_read(), leaves * (2 * limit + 3));

    const Graph wheel_graph(leaves + 1, wheel);
    RingSearch around = sampled_search(wheel_graph, limit);
    for (Index node = 0; node <= leaves; ++node)
        around.ring(node, 2);
    EXPECT_LE(around.entries_read(), leaves * (2 * limit + 16));
    // From a ring of N members: each list is read to its 2 N-th new entry at most.
    const std::int64_t before = around.entries_read();
    for (Index node = 1; node <= leaves; ++node)
        around.ring(node, 3);
    EXPECT_LE(around.entries_read() - before, leaves * (2 * limit + 16 + 4 * limit));
}

}  // namespace
}  // namespace hwgcn::sample_order_test
