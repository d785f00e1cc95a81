// A cache entry belongs to one graph and its features: whatever changes the weights changes the key.
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/rings.hpp"
#include "graph/smoothing.hpp"
#include "test_data.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn::content_hash_test {
namespace {

struct Input {
    Dataset dataset = make_synthetic({.nodes = 120, .seed = 4});
    CsrMatrix<float> features = row_normalized(dataset.features);

    Graph graph(const std::vector<Edge>& more = {}) const {
        std::vector<Edge> edges = dataset.edges;
        edges.insert(edges.end(), more.begin(), more.end());
        return {dataset.nodes, edges};
    }
};

TEST(ContentHash, KnowsSelfLoops) {
    const Input input;
    const auto hash = [&](const std::vector<Edge>& loops) {
        return WeightCache::content_hash(input.graph(loops), input.features);
    };
    const std::string none = hash({});
    EXPECT_NE(hash({{5, 5}}), none);
    EXPECT_NE(hash({{5, 5}}), hash({{6, 6}}));
    EXPECT_NE(hash({{5, 5}}), hash({{5, 5}, {6, 6}}));
    EXPECT_EQ(hash({{5, 5}, {5, 5}}), hash({{5, 5}})) << "a repeated edge is one";
}

TEST(ContentHash, KnowsEveryPartOfTheFeatures) {
    const Input input;
    const Graph graph = input.graph();
    const auto hash = [&](const auto& change) {
        CsrMatrix<float> features = input.features;
        change(features);
        return WeightCache::content_hash(graph, features);
    };
    const std::string original = hash([](CsrMatrix<float>&) {});
    EXPECT_NE(hash([](CsrMatrix<float>& m) { m.values.back() += 0.5F; }), original);
    EXPECT_NE(hash([](CsrMatrix<float>& m) { m.columns += 1; }), original);
    EXPECT_NE(hash([](CsrMatrix<float>& m) { m.indices.back() = m.columns - 1 - m.indices.back(); }),
              original);
    // The same entries, but one of them belongs to another row.
    EXPECT_NE(hash([](CsrMatrix<float>& m) { ++m.offsets[1]; }), original);
}

TEST(WeightCache, ASelfLoopChangesTheWeightsSoTheyAreLearnedAnew) {
    const Input input;
    const testing::TemporaryDirectory directory;
    const WeightCache cache(directory.path());
    const Graph plain = input.graph();
    const Graph looped = input.graph({{7, 7}, {8, 8}, {9, 9}});
    learn_weights(plain, input.features, {.order = 2}, {}, &cache);
    const LearnedWeights found = learn_weights(looped, input.features, {.order = 2}, {}, &cache);
    const LearnedWeights wanted = learn_weights(looped, input.features, {.order = 2});
    EXPECT_FALSE(found.orders[0].cached);
    EXPECT_EQ(found.orders[0].matrix.values, wanted.orders[0].matrix.values);
    EXPECT_NE(found.orders[0].matrix.values,
              learn_weights(plain, input.features, {.order = 2}).orders[0].matrix.values);
}

TEST(WeightCache, KnowsTheSettingsOfTheLasso) {
    const auto key = [](double lambda, double tolerance, int order) {
        const WeightOptions options{.weighting = Weighting::lasso, .tolerance = tolerance, .lambda = lambda};
        return WeightCache::key("content", options, order);
    };
    EXPECT_NE(key(0.1, 1e-7, 2), key(0.2, 1e-7, 2));
    EXPECT_NE(key(0.1, 1e-7, 2), key(0.1, 1e-6, 2));
    EXPECT_NE(key(0.1, 1e-7, 2), key(0.1, 1e-7, 3));
    EXPECT_NE(WeightCache::key("content", {}, 2), WeightCache::key("other", {}, 2));
}

TEST(WeightCache, AnEntryUnderAnotherNameIsNotTaken) {
    const Input input;
    const testing::TemporaryDirectory directory;
    const WeightCache cache(directory.path());
    const Graph graph = input.graph();
    const auto entry = [&](int order) {
        return cache.entry_path(
            WeightCache::key(WeightCache::content_hash(graph, input.features), {.order = 3}, order));
    };
    learn_weights(graph, input.features, {.order = 3}, {}, &cache);
    std::filesystem::copy_file(entry(3), entry(2), std::filesystem::copy_options::overwrite_existing);
    const LearnedWeights found = learn_weights(graph, input.features, {.order = 3}, {}, &cache);
    EXPECT_FALSE(found.orders[0].cached);
    EXPECT_TRUE(found.orders[1].cached);
    ASSERT_EQ(found.notes.size(), 1U);
    EXPECT_NE(found.notes[0].find("checksum does not match"), std::string::npos) << found.notes[0];
    EXPECT_EQ(found.orders[0].matrix.values,
              learn_weights(graph, input.features, {.order = 2}).orders[0].matrix.values);
}

TEST(OrderSummary, TheWorstGapIsTheLargestOfAllNodes) {
    const Input input;
    const Graph graph = input.graph();
    const LearnedWeights all = learn_weights(graph, input.features, {.order = 2, .tolerance = 1e-2});
    const OrderSummary& summary = all.orders[0].summary;
    EXPECT_GT(summary.worst_gap, 0.0);
    EXPECT_LE(summary.worst_gap, 1e-2);
    // The same problems one by one.
    double largest = 0;
    Index where = -1;
    RingSolver solver(input.features);
    RingSearch search(graph);
    RowSmoother smoother(graph, input.features);
    for (Index node = 0; node < graph.nodes(); ++node) {
        const auto ring = search.ring(node, 2);
        if (ring.empty() || !(solver.load(ring, smoother.smooth(node)).total > 0)) continue;
        const double gap = solver.solve_simplex({.tolerance = 1e-2}).gap;
        if (gap <= largest) continue;
        largest = gap;
        where = node;
    }
    EXPECT_EQ(summary.worst_gap, largest);
    EXPECT_EQ(summary.worst_node, where);
    EXPECT_NE(where, graph.nodes() - 1) << "told apart";
}

}  // namespace
}  // namespace hwgcn::content_hash_test
