#include "graph/summary.hpp"

#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/io/readers.hpp"

#include "graph/random_graph.hpp"
#include "test_data.hpp"

namespace hwgcn::summary_test {
namespace {

// A triangle 0-1-2 with a tail 2-3, a pair 4-5 and a lonely node 6 with a loop.
Graph small_graph() {
    return Graph(7, std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {4, 5}, {6, 6}});
}

TEST(GraphSummary, CountsComponentsDegreesAndHomophily) {
    const std::vector<Index> labels{0, 0, 1, 1, 0, unlabelled, 1};
    const GraphSummary summary = summarize_graph(small_graph(), labels);
    EXPECT_EQ(summary.components, 3);
    EXPECT_EQ(summary.largest_component, 4);
    EXPECT_EQ(summary.isolated, 1);
    EXPECT_EQ(summary.largest_degree, 3);
    EXPECT_DOUBLE_EQ(summary.mean_degree, 10.0 / 7.0);
    EXPECT_EQ(summary.labelled_edges, 4);  // 4-5 has an end without label
    EXPECT_DOUBLE_EQ(summary.homophily, 0.5);
}

TEST(GraphSummary, HomophilyWithoutLabelledEdgesIsNotANumber) {
    const std::vector<Index> labels(7, unlabelled);
    EXPECT_TRUE(std::isnan(summarize_graph(small_graph(), labels).homophily));
}

CsrMatrix<float> features(Index columns, std::vector<Triplet<float>> entries, Index rows) {
    return row_normalized(csr_from_triplets(rows, columns, std::move(entries)));
}

TEST(CommonShare, IsOneForEqualRowsAndSmallForDifferentOnes) {
    EXPECT_NEAR(common_share(features(2, {{0, 0, 1}, {0, 1, 3}, {1, 0, 2}, {1, 1, 6}}, 3)), 1.0, 1e-6);
    // (1, 0) and (1/2, 1/2): the mean (3/4, 1/4) has 5/8 of the mean square 3/4, which is 5/6.
    EXPECT_NEAR(common_share(features(2, {{0, 0, 1}, {1, 0, 4}, {1, 1, 4}}, 2)), 5.0 / 6.0, 1e-6);
    // Words that no two nodes share: of n rows the mean has 1/n.
    std::vector<Triplet<float>> words;
    for (Index i = 0; i < 10; ++i)
        words.insert(words.end(), {{i, 2 * i, 1}, {i, 2 * i + 1, 1}});
    EXPECT_NEAR(common_share(features(20, words, 10)), 0.1, 1e-6);
}

TEST(CommonShare, DoesNotDoubtOneHotRowsButASingleColumn) {
    EXPECT_EQ(common_share(features(2, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 1, 1}}, 4)), 0.0);
    EXPECT_NEAR(common_share(features(1, {{0, 0, 3}, {1, 0, 5}}, 2)), 1.0, 1e-6);
    EXPECT_EQ(common_share(features(0, {}, 5)), 0.0);
    EXPECT_EQ(common_share(features(3, {{4, 1, 1}, {4, 2, 1}}, 5)), 0.0);
}

TEST(GraphSummary, StopsWhenAsked) {
    const std::atomic<bool> stop{true};
    EXPECT_THROW(summarize_graph(small_graph(), std::vector<Index>(7, 0), {1, nullptr, &stop}), Interrupted);
}

TEST(RingSummaries, CountPairsLargestAndNonEmpty) {
    const auto rings = summarize_rings(small_graph(), {.max_order = 3}, {});
    ASSERT_EQ(rings.size(), 3U);
    EXPECT_EQ(rings[0].pairs, 10);
    EXPECT_EQ(rings[1].order, 2);
    EXPECT_EQ(rings[1].pairs, 4);  // 0-3 and 1-3, both ways
    EXPECT_EQ(rings[1].largest, 2);
    EXPECT_EQ(rings[1].non_empty, 3);
    EXPECT_EQ(rings[2].pairs, 0);
}

TEST(RingSummaries, AreTheSameAtAnyThreadCount) {
    const Graph graph(300, testing::random_edges(300, 500, 11));
    const auto one = summarize_rings(graph, {.max_order = 4}, {.threads = 1});
    const auto five = summarize_rings(graph, {.max_order = 4}, {.threads = 5});
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(one[k].pairs, five[k].pairs);
        EXPECT_EQ(one[k].largest, five[k].largest);
    }
}

TEST(RingSummaries, OfASampleAreScaledUp) {
    std::vector<Edge> cycle;
    for (Index i = 0; i < 1000; ++i)
        cycle.push_back({i, (i + 1) % 1000});
    const auto rings = summarize_rings(Graph(1000, cycle), {.max_order = 2, .sample = 10}, {});
    EXPECT_EQ(rings[1].pairs, 2000);
    EXPECT_EQ(rings[1].non_empty, 1000);
}

TEST(EvenlySpacedNodes, AreDistinctAndCoverTheRange) {
    EXPECT_EQ(evenly_spaced_nodes(4, 0), (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(evenly_spaced_nodes(10, 2), (std::vector<Index>{2, 7}));
    EXPECT_EQ(evenly_spaced_nodes(3, 5).size(), 3U);
}

struct PublishedRings {
    const char* dataset;
    std::int64_t edges;
    std::int64_t self_loops;
    std::vector<std::int64_t> pairs;  // orders 2, 3, ..
};

TEST(RingSummaries, OfTheCitationGraphsAreThePublishedOnes) {
    const auto data = HWGCN_REAL_DATA();
    const std::vector<PublishedRings> expected{
        {"cora", 5278, 0, {86332, 247250, 663302, 1187132, 1389500, 1118348, 693030}},
        {"citeseer", 4552, 124, {37826, 94512, 175166, 259986, 336870, 418362, 509472}},
    };
    for (const PublishedRings& published : expected) {
        const Dataset dataset = load_dataset(published.dataset, data);
        const Graph graph(dataset.nodes, dataset.edges);
        EXPECT_EQ(graph.edges(), published.edges) << published.dataset;
        EXPECT_EQ(graph.self_loops(), published.self_loops) << published.dataset;
        const auto rings = summarize_rings(graph, {.max_order = 8}, {});
        for (int order = 2; order <= 8; ++order) {
            EXPECT_EQ(rings[order - 1].pairs, published.pairs[order - 2])
                << published.dataset << " " << order;
        }
    }
}

}  // namespace
}  // namespace hwgcn::summary_test
