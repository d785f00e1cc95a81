// Weights of rings that were cut to a sample before their features were read.
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "graph/rings.hpp"
#include "graph/sample_order.hpp"
#include "graph/smoothing.hpp"
#include "test_data.hpp"
#include "weights/estimate.hpp"
#include "weights/ring_learner.hpp"
#include "weights/ring_solver.hpp"
#include "weights/weight_inputs.hpp"

namespace hwgcn::sample_ring_test {
namespace {

using testing::expect_same_bits;
using testing::Input;
using testing::small_input;

constexpr std::int64_t limit = 8;

LearnedWeights learn(const WeightOptions& options, int threads = 1) {
    return learn_weights(small_input().graph, small_input().features, options, {.threads = threads});
}

double total(const SparseRow<double>& row) {
    return std::accumulate(row.values.begin(), row.values.end(), 0.0);
}

std::vector<Index> all_nodes(Index count) {
    std::vector<Index> nodes(static_cast<std::size_t>(count));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

TEST(SampleRing, OfNoSmallerThanTheLargestRingChangesNoBit) {
    for (const Weighting weighting : {Weighting::learned, Weighting::uniform, Weighting::lasso}) {
        const LearnedWeights whole = learn({.order = 4, .weighting = weighting});
        std::int64_t largest = 0;
        for (const OrderWeights& order : whole.orders)
            largest = std::max(largest, order.summary.largest_ring);
        for (const std::int64_t sample : {largest, std::int64_t{1} << 40}) {
            const LearnedWeights sampled = learn({.order = 4, .weighting = weighting, .sample_ring = sample});
            expect_same_bits(whole, sampled);
            for (const OrderWeights& order : sampled.orders)
                EXPECT_EQ(order.summary.sampled_rings, 0);
        }
        const WeightOptions smaller{.order = 4, .weighting = weighting, .sample_ring = largest - 1};
        EXPECT_GT(learn(smaller).orders[2].summary.sampled_rings, 0);
    }
}

TEST(SampleRing, LeavesSmallerRingsOfTheSecondOrderAsTheyAre) {
    const OrderWeights whole = learn({.order = 2}).orders[0];
    const OrderWeights sampled = learn({.order = 2, .sample_ring = 20}).orders[0];
    std::int64_t cut = 0;
    for (Index node = 0; node < small_input().graph.nodes(); ++node) {
        if (whole.ring_sizes[node] > 20) {
            ++cut;
            EXPECT_EQ(sampled.ring_sizes[node], 20);
            continue;
        }
        EXPECT_TRUE(std::ranges::equal(sampled.matrix.row(node).indices, whole.matrix.row(node).indices));
        EXPECT_TRUE(std::ranges::equal(sampled.matrix.row(node).values, whole.matrix.row(node).values));
    }
    EXPECT_GT(cut, 0);
    EXPECT_LT(cut, small_input().graph.nodes());
    EXPECT_EQ(sampled.summary.sampled_rings, cut);
    EXPECT_EQ(sampled.summary.largest_ring, 20);
    EXPECT_EQ(sampled.summary.ring_pairs,
              std::accumulate(sampled.ring_sizes.begin(), sampled.ring_sizes.end(), std::int64_t{0}));
}

TEST(SampleRing, DoesNotDependOnThreads) {
    const WeightOptions options{.order = 4, .max_ring = 5, .sample_ring = limit};
    const LearnedWeights alone = learn(options);
    for (const int threads : {2, 5}) {
        const LearnedWeights shared = learn(options, threads);
        expect_same_bits(alone, shared);
        for (std::size_t k = 0; k < alone.orders.size(); ++k)
            EXPECT_EQ(alone.orders[k].summary.sampled_rings, shared.orders[k].summary.sampled_rings);
    }
}

// The problem is that of the sample: its members, its alpha, its total, and its certificate.
TEST(SampleRing, SolvesTheProblemOfTheMembersThatAreLeft) {
    const Input& input = small_input();
    const LearnedWeights learned = learn({.order = 3, .sample_ring = limit});
    RingSearch search(input.graph, std::make_shared<const SampleOrder>(input.graph), limit);
    RowSmoother smoother(input.graph, input.features);
    RingSolver solver(input.features);
    for (const OrderWeights& order : learned.orders) {
        EXPECT_GT(order.summary.sampled_rings, 0);
        EXPECT_EQ(order.summary.unfinished, 0);
        EXPECT_LE(order.summary.worst_gap, 1e-7);
        for (Index node = 0; node < input.graph.nodes(); ++node) {
            const auto members = search.ring(node, order.summary.order);
            EXPECT_LE(members.size(), static_cast<std::size_t>(limit));
            EXPECT_EQ(order.ring_sizes[node], static_cast<Index>(members.size()));
            const SparseRow<double> row = order.matrix.row(node);
            if (members.empty()) {
                EXPECT_EQ(row.size(), 0U);
                continue;
            }
            const auto scale = solver.load(members, smoother.smooth(node));
            EXPECT_NEAR(total(row), std::max(0.0, scale.total), 1e-12);
            if (!(scale.total > 0)) continue;
            const Solution solution = solver.solve_simplex({});
            ASSERT_EQ(row.size(), solution.support.size());
            for (const Share& share : solution.support) {
                const auto place = std::ranges::find(row.indices, members[share.position]);
                ASSERT_NE(place, row.indices.end());
                EXPECT_EQ(row.values[static_cast<std::size_t>(place - row.indices.begin())],
                          scale.total * share.value);
            }
        }
    }
}

// As another process holds it: without the nodes that it need not know, and with numbers of its own.
TEST(SampleRing, APartThatKnowsTheNumbersOfItsNodesHasTheBitsOfTheWhole) {
    const Input& part = small_input();
    const Index nodes = part.graph.nodes();
    std::vector<Index> numbers;  // in a graph in which foreign nodes lie between
    for (Index node = 0; node < nodes; ++node)
        numbers.push_back(node * 7 + node % 3);
    std::vector<Edge> edges;
    CsrMatrix<float> features{
        nodes * 7, part.features.columns, {0}, part.features.indices, part.features.values};
    Index next = 0;
    for (Index number = 0; number < features.rows; ++number) {
        if (next < nodes && numbers[next] == number) ++next;
        features.offsets.push_back(part.features.offsets[next]);
    }
    for (Index node = 0; node < nodes; ++node) {
        for (const Index neighbor : part.graph.neighbors(node))
            edges.push_back({numbers[node], numbers[neighbor]});
    }
    const Graph graph(features.rows, edges);
    const WeightOptions options{.order = 3, .sample_ring = limit};
    const LearnedWeights whole = learn_weights(graph, features, options);
    std::vector<RingLearner> learners =
        make_learners(part.graph, part.graph, part.features, options, {.threads = 1}, nullptr, numbers);
    for (int order = 2; order <= 3; ++order) {
        for (Index node = 0; node < nodes; ++node) {
            const SparseRow<double> row = whole.orders[order - 2].matrix.row(numbers[node]);
            const RingWeights& ring = learners[0].learn(node, order);
            ASSERT_EQ(ring.weights.size(), row.size());
            for (std::size_t e = 0; e < row.size(); ++e) {
                EXPECT_EQ(numbers[ring.weights[e].first], row.indices[e]);
                EXPECT_EQ(ring.weights[e].second, row.values[e]);
            }
        }
    }
}

TEST(SampleRing, ExtendedWeightsAndEstimatesKeepToIt) {
    const Input& input = small_input();
    const WeightOptions options{.order = 3, .sample_ring = limit};
    const LearnedWeights sampled = learn(options);
    const LearnedWeights extended = extend_weights(learn({.order = 3}), input.graph, input.features, options,
                                                   all_nodes(input.graph.nodes()));
    std::int64_t support = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(extended.orders[k].matrix.indices, sampled.orders[k].matrix.indices);
        EXPECT_EQ(extended.orders[k].matrix.values, sampled.orders[k].matrix.values);
        EXPECT_EQ(extended.orders[k].ring_sizes, sampled.orders[k].ring_sizes);
        support += sampled.orders[k].summary.support;
    }
    EXPECT_EQ(estimate_cost(input.graph, input.features, options, {}, input.graph.nodes()).support, support);
    const RingSummary rings{.order = 3, .pairs = 100 * input.graph.nodes()};
    EXPECT_NEAR(learning_work(input.graph, input.features, rings, options),
                learning_work(input.graph, input.features, rings, {.order = 3}) * limit / 100, 1e-6);
}

TEST(SampleRing, IsPartOfTheKeyAndItsCountOfTheEntry) {
    const std::string whole = WeightCache::key("content", {.order = 2}, 2);
    const std::string sampled = WeightCache::key("content", {.order = 2, .sample_ring = 5}, 2);
    EXPECT_NE(whole, sampled);
    EXPECT_NE(sampled, WeightCache::key("content", {.order = 2, .sample_ring = 6}, 2));
    EXPECT_NE(sampled, WeightCache::key("content", {.order = 2, .max_ring = 5}, 2));
    const testing::TemporaryDirectory directory;
    const WeightCache cache(directory.path());
    const Input& input = small_input();
    const WeightOptions options{.order = 2, .sample_ring = limit};
    const auto first = learn_weights(input.graph, input.features, options, {}, &cache);
    const auto second = learn_weights(input.graph, input.features, options, {}, &cache);
    EXPECT_FALSE(first.orders[0].cached);
    EXPECT_TRUE(second.orders[0].cached);
    EXPECT_GT(first.orders[0].summary.sampled_rings, 0);
    EXPECT_EQ(first.orders[0].summary.sampled_rings, second.orders[0].summary.sampled_rings);
    EXPECT_FALSE(learn_weights(input.graph, input.features, {.order = 2}, {}, &cache).orders[0].cached);
}

}  // namespace
}  // namespace hwgcn::sample_ring_test
