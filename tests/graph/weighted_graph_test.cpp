// Edges with weights: how they are merged and scaled, and that graphs without them stay what they were.
#include <limits>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/graph/graph.hpp"

#include "graph/random_graph.hpp"
#include "graph/smoothing.hpp"
#include "graph/summary.hpp"
#include "io/expect_input_error.hpp"

namespace hwgcn::weighted_graph_test {
namespace {

using testing::expect_input_error;
using testing::random_edges;

std::vector<float> random_edge_weights(std::size_t count, std::uint64_t seed) {
    RandomStream random(seed, 7);
    std::vector<float> weights;
    for (std::size_t e = 0; e < count; ++e)
        weights.push_back(static_cast<float>(random.below(5)));  // zeros among them, sums exact
    return weights;
}

// The rules once more, with maps: per direction a sum, of two directions the mean, zeros left out.
std::map<std::pair<Index, Index>, double> expected_pairs(const std::vector<Edge>& edges,
                                                         const std::vector<float>& weights) {
    std::map<std::pair<Index, Index>, double> arcs, pairs;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (weights[e] > 0) arcs[{edges[e].from, edges[e].to}] += weights[e];
    }
    for (const auto& [ends, sum] : arcs) {
        const auto [from, to] = ends;
        const auto back = arcs.find({to, from});
        pairs[std::minmax(from, to)] = from == to || back == arcs.end() ? sum : (sum + back->second) / 2;
    }
    return pairs;
}

double mean_without_loops(const std::map<std::pair<Index, Index>, double>& pairs) {
    double sum = 0, count = 0;
    for (const auto& [ends, weight] : pairs) {
        if (ends.first == ends.second) continue;
        sum += weight;
        ++count;
    }
    return sum / count;
}

TEST(WeightedGraph, HoldsTheSumsDividedByTheirMean) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 12);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        std::vector<Edge> edges = random_edges(nodes, *rc::gen::inRange(3, 60), seed);
        edges.push_back({0, 1});  // at least one that is no loop
        std::vector<float> weights = random_edge_weights(edges.size(), seed);
        weights.back() = 7;
        const auto expected = expected_pairs(edges, weights);
        const Graph graph(nodes, edges, weights);
        const double unit = mean_without_loops(expected);
        RC_ASSERT(std::abs(graph.weight_unit() - unit) < 1e-12 * unit);
        std::size_t found = 0;
        for (Index i = 0; i < nodes; ++i) {
            double degree = 1;
            const auto neighbors = graph.neighbors(i);
            RC_ASSERT(std::is_sorted(neighbors.begin(), neighbors.end()));
            for (std::size_t e = 0; e < neighbors.size(); ++e) {
                const double weight = expected.at(std::minmax(i, neighbors[e])) / unit;
                if (graph.weighted()) RC_ASSERT(std::abs(graph.weights(i)[e] - weight) < 1e-6 * weight);
                degree += weight;
                ++found;
            }
            RC_ASSERT(graph.has_self_loop(i) == expected.contains({i, i}));
            if (graph.has_self_loop(i)) {
                const double weight = expected.at({i, i}) / unit;
                if (graph.weighted()) RC_ASSERT(std::abs(graph.loop_weight(i) - weight) < 1e-6 * weight);
                degree += weight;
                found += 2;
            }
            if (graph.weighted()) RC_ASSERT(std::abs(graph.degree_with_identity(i) - degree) < 1e-5 * degree);
        }
        RC_ASSERT(found == 2 * expected.size());
    });
    EXPECT_TRUE(holds);
}

void expect_same(const Graph& a, const Graph& b) {
    ASSERT_EQ(a.nodes(), b.nodes());
    EXPECT_TRUE(std::ranges::equal(a.offsets(), b.offsets()));
    EXPECT_TRUE(std::ranges::equal(a.all_neighbors(), b.all_neighbors()));
    EXPECT_TRUE(std::ranges::equal(a.all_weights(), b.all_weights()));
    for (Index i = 0; i < a.nodes(); ++i) {
        EXPECT_EQ(a.loop_weight(i), b.loop_weight(i));
        EXPECT_EQ(a.degree_with_identity(i), b.degree_with_identity(i));
    }
}

TEST(WeightedGraph, TheUnitOfTheWeightsDoesNotMatter) {
    const std::vector<Edge> edges = random_edges(9, 40, 3);
    const std::vector<float> weights = random_edge_weights(edges.size(), 3);
    for (const float factor : {0.25F, 1024.0F}) {  // powers of two: not even the last bit changes
        std::vector<float> scaled = weights;
        for (float& weight : scaled)
            weight *= factor;
        expect_same(Graph(9, edges, scaled), Graph(9, edges, weights));
    }
}

TEST(WeightedGraph, AnEdgeOfWeightTwoIsAnEdgeGivenTwice) {
    expect_same(Graph(3, std::vector<Edge>{{0, 1}, {1, 2}, {0, 1}}, std::vector<float>{1, 3, 1}),
                Graph(3, std::vector<Edge>{{0, 1}, {1, 2}}, std::vector<float>{2, 3}));
    expect_same(Graph(3, std::vector<Edge>{{0, 1}, {1, 0}, {1, 2}}, std::vector<float>{1, 3, 3}),
                Graph(3, std::vector<Edge>{{0, 1}, {1, 2}}, std::vector<float>{2, 3}));
}

TEST(WeightedGraph, EqualWeightsAreNone) {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 2}};
    const Graph graph(3, edges, std::vector<float>{5, 5, 5});
    EXPECT_FALSE(graph.weighted());
    EXPECT_TRUE(graph.weights(0).empty());
    EXPECT_EQ(graph.weight_unit(), 5.0);
    expect_same(graph, Graph(3, edges));
    // The two directions of the first edge differ, but not what comes of them.
    EXPECT_FALSE(Graph(3, std::vector<Edge>{{0, 1}, {1, 0}, {1, 2}}, std::vector<float>{1, 3, 2}).weighted());
}

TEST(WeightedGraph, EdgesOfWeightZeroAreNone) {
    const Graph graph(3, std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}, {2, 2}}, std::vector<float>{1, 0, 2, 0});
    EXPECT_EQ(graph.edges(), 2);
    EXPECT_EQ(graph.self_loops(), 0);
    EXPECT_EQ(Graph(2, std::vector<Edge>{{0, 1}}, std::vector<float>{0}).edges(), 0);
}

TEST(WeightedGraph, RefusesWhatIsNoWeight) {
    const std::vector<Edge> edges = {{0, 1}, {0, 1}};
    for (const float bad :
         {-1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        expect_input_error(
            [&] {
                Graph(2, edges, std::vector<float>{1, bad});
            },
            {"edge 0-1 has the weight", "finite number of at least 0"});
    }
    expect_input_error([&] { Graph(2, edges, std::vector<float>{3e38F, 3e38F}); }, {"edge 0-1", "e+38"});
    expect_input_error([&] { Graph(2, edges, std::vector<float>{1}); }, {"1 weights for 2 edges"});
}

TEST(WeightedGraph, LightEdgesBesideHugeOnesStay) {
    const Graph graph(3, std::vector<Edge>{{0, 1}, {1, 2}}, std::vector<float>{1e-38F, 3e38F});
    EXPECT_EQ(graph.edges(), 2);
    EXPECT_GT(graph.weights(0)[0], 0.0F);
}

TEST(WeightedGraph, AGraphOfLoopsAloneHasAUnit) {
    const Graph graph(2, std::vector<Edge>{{0, 0}, {1, 1}}, std::vector<float>{1, 3});
    EXPECT_EQ(graph.weight_unit(), 2.0);
    EXPECT_EQ(graph.degree_with_identity(1), 2.5);
    EXPECT_EQ(Graph(0, {}, {}).nodes(), 0);
}

TEST(HeavyEdges, AreThoseOfAtLeastTheWeightInTheUnitsOfTheData) {
    std::vector<Edge> edges;
    std::vector<float> weights;
    for (Index i = 0; i < 100; ++i) {
        edges.push_back({i, i + 1});
        weights.push_back(0.01F * static_cast<float>(i + 1));
    }
    const Graph graph(101, edges, weights);
    for (Index i = 0; i < 100; ++i)  // the very weight of an edge leaves it in, whatever rounding does
        EXPECT_EQ(heavy_edges(graph, static_cast<double>(weights[i])).edges(), 100 - i) << i;
    EXPECT_EQ(heavy_edges(graph, 0.5).edges(), 51);
    EXPECT_FALSE(heavy_edges(graph, 0.5).weighted());
    expect_input_error([&] { heavy_edges(graph, 1.5); },
                       {"`min_weight=1.5`: no edge weighs as much, the heaviest weighs 1"});
    expect_input_error([&] { heavy_edges(Graph(101, edges), 0.5); }, {"`min_weight`", "no weights"});
}

TEST(HeavyEdges, KeepHeavyLoops) {
    const Graph graph(2, std::vector<Edge>{{0, 1}, {0, 0}, {1, 1}}, std::vector<float>{2, 1, 3});
    const Graph heavy = heavy_edges(graph, 2);
    EXPECT_FALSE(heavy.has_self_loop(0));
    EXPECT_TRUE(heavy.has_self_loop(1));
}

TEST(Arcs, HoldEveryDirectionOnce) {
    Dataset dataset;
    dataset.nodes = 3;
    dataset.edges = {{2, 0}, {0, 1}, {2, 0}, {1, 1}, {1, 0}};
    CsrMatrix<float> arcs = arcs_of(dataset, 1.0);
    EXPECT_EQ(arcs.offsets, (std::vector<std::int64_t>{0, 1, 3, 4}));
    EXPECT_EQ(arcs.indices, (std::vector<Index>{1, 0, 1, 0}));
    EXPECT_EQ(arcs.values, (std::vector<float>{1, 1, 1, 1}));
    dataset.edge_weights = {1, 4, 2, 6, 0};
    arcs = arcs_of(dataset, 2.0);
    EXPECT_EQ(arcs.indices, (std::vector<Index>{1, 1, 0}));
    EXPECT_EQ(arcs.values, (std::vector<float>{2, 3, 1.5F}));
}

// t_i = sum_j (A + I)_ij x_j / sqrt(d_i d_j), written down with a dense A.
TEST(WeightedSmoothing, AgreesWithTheDefinition) {
    const Index nodes = 12;
    const std::vector<Edge> edges = random_edges(nodes, 40, 11);
    const std::vector<float> weights = random_edge_weights(edges.size(), 11);
    const CsrMatrix<float> features = testing::random_features(nodes, 5, 0.5, 11);
    const auto pairs = expected_pairs(edges, weights);
    const double unit = mean_without_loops(pairs);
    std::vector<std::vector<double>> a(nodes, std::vector<double>(nodes, 0.0));
    for (const auto& [ends, weight] : pairs)
        a[ends.first][ends.second] = a[ends.second][ends.first] = weight / unit;
    std::vector<double> degree(nodes, 0.0);
    for (Index i = 0; i < nodes; ++i) {
        a[i][i] += 1;
        for (Index j = 0; j < nodes; ++j)
            degree[i] += a[i][j];
    }
    const Graph graph(nodes, edges, weights);
    ASSERT_TRUE(graph.weighted());
    RowSmoother smoother(graph, features);
    for (Index i = 0; i < nodes; ++i) {
        std::vector<double> expected(5, 0.0);
        for (Index j = 0; j < nodes; ++j) {
            const SparseRow<float> row = features.row(j);
            for (std::size_t e = 0; e < row.size(); ++e)
                expected[row.indices[e]] += a[i][j] * row.values[e] / std::sqrt(degree[i] * degree[j]);
        }
        std::vector<double> found(5, 0.0);
        const SparseVector& smoothed = smoother.smooth(i);
        for (std::size_t k = 0; k < smoothed.columns.size(); ++k)
            found[smoothed.columns[k]] = smoothed.values[k];
        for (std::size_t k = 0; k < 5; ++k)
            EXPECT_NEAR(found[k], expected[k], 1e-6);
    }
}

TEST(WeightedSummary, HomophilyIsAShareOfTheWeight) {
    const Graph graph(3, std::vector<Edge>{{0, 1}, {1, 2}}, std::vector<float>{3, 1});
    const GraphSummary summary = summarize_graph(graph, std::vector<Index>{0, 0, 1});
    EXPECT_NEAR(summary.homophily, 0.75, 1e-6);
    EXPECT_EQ(summary.labelled_edges, 2);
}

}  // namespace
}  // namespace hwgcn::weighted_graph_test
