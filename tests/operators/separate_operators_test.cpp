// Operators side by side: against dense matrices that follow their definitions, and their rows in fields.
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "graph/random_graph.hpp"
#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "operators/random_weights.hpp"
#include "operators/receptive_field.hpp"

namespace hwgcn::separate_operators_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::expect_input_error;
using testing::random_edges;
using testing::random_weights;
using testing::zeros;

struct Sample {
    Dataset dataset;
    Graph graph;
    CsrMatrix<float> arcs;
    LearnedWeights weights;
};

Sample random_sample(Index nodes, int edges, bool weighted, int orders, std::uint64_t seed) {
    Dataset dataset;
    dataset.nodes = nodes;
    dataset.directed = true;
    dataset.edges = random_edges(nodes, edges, seed);
    dataset.edges.push_back({0, 0});
    RandomStream random(seed, 9);
    for (std::size_t e = 0; weighted && e < dataset.edges.size(); ++e)
        dataset.edge_weights.push_back(static_cast<float>(0.1 + 3 * random.uniform()));
    Graph graph = graph_of(dataset);
    CsrMatrix<float> arcs = arcs_of(dataset, graph.weight_unit());
    return {std::move(dataset), std::move(graph), std::move(arcs), random_weights(nodes, orders, 0.1, seed)};
}

DenseDouble adjacency(const Graph& graph) {
    DenseDouble a = zeros(graph.nodes(), graph.nodes());
    for (Index i = 0; i < graph.nodes(); ++i) {
        const auto neighbors = graph.neighbors(i);
        for (std::size_t e = 0; e < neighbors.size(); ++e)
            a[i][neighbors[e]] = graph.weighted() ? static_cast<double>(graph.weights(i)[e]) : 1.0;
    }
    return a;
}

DenseDouble turned(const DenseDouble& a) {
    DenseDouble result = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j)
            result[j][i] = a[i][j];
    }
    return result;
}

// Without the diagonal, rows divided by their sums.
DenseDouble means(DenseDouble a) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i][i] = 0;
        double sum = 0;
        for (const double weight : a[i])
            sum += weight;
        for (double& weight : a[i])
            weight = sum > 0 ? weight / sum : 0;
    }
    return a;
}

// D^-1/2 (A + I) E^-1/2 with D the row sums and E the column sums of A + I.
DenseDouble symmetric(DenseDouble a) {
    std::vector<double> rows(a.size(), 0.0), columns = rows;
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i][i] += 1;
        for (std::size_t j = 0; j < a.size(); ++j) {
            rows[i] += a[i][j];
            columns[j] += a[i][j];
        }
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j)
            a[i][j] /= std::sqrt(rows[i] * columns[j]);
    }
    return a;
}

DenseDouble identity(Index nodes) {
    DenseDouble result = zeros(nodes, nodes);
    for (Index i = 0; i < nodes; ++i)
        result[i][i] = 1;
    return result;
}

void expect_blocks(const Propagation& found, const std::vector<DenseDouble>& expected) {
    ASSERT_EQ(found.blocks, static_cast<Index>(expected.size()));
    const auto nodes = static_cast<Index>(expected[0].size());
    validate_csr(*found.matrix, "operators");
    validate_csr(*found.transposed, "turned operators");
    ASSERT_EQ(found.nodes(), nodes);
    ASSERT_EQ(found.matrix->rows, nodes * found.blocks);
    ASSERT_EQ(found.transposed->rows, nodes);
    const DenseDouble rows = dense(*found.matrix);
    const DenseDouble columns = dense(*found.transposed);
    for (Index i = 0; i < nodes; ++i) {
        for (Index b = 0; b < found.blocks; ++b) {
            const Index row = i * found.blocks + b;
            for (Index j = 0; j < nodes; ++j) {
                EXPECT_NEAR(rows[row][j], expected[b][i][j], 1e-6) << b << ": " << i << ", " << j;
                EXPECT_EQ(columns[j][row], rows[row][j]);
            }
        }
    }
}

TEST(SeparateOperators, AreTheNodeItsNeighborsAndItsRings) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 12);
        const Sample s = random_sample(nodes, *rc::gen::inRange(0, 20), *rc::gen::arbitrary<bool>(), 2,
                                       *rc::gen::arbitrary<std::uint64_t>());
        std::vector<DenseDouble> expected = {identity(nodes), means(adjacency(s.graph))};
        expect_blocks(build_separate_operators(s.graph, nullptr), expected);
        for (const OrderWeights& order : s.weights.orders)
            expected.push_back(means(dense(order.matrix)));
        expect_blocks(build_separate_operators(s.graph, nullptr, s.weights), expected);
        RC_ASSERT(count_separate_operators(false, 3) == 4);
        RC_ASSERT(!::testing::Test::HasFailure());
    });
    EXPECT_TRUE(holds);
}

TEST(SeparateOperators, OfADirectedGraphHaveBothDirections) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 12);
        const Sample s = random_sample(nodes, *rc::gen::inRange(0, 20), *rc::gen::arbitrary<bool>(), 1,
                                       *rc::gen::arbitrary<std::uint64_t>());
        const DenseDouble arcs = dense(s.arcs);
        const DenseDouble ring = turned(dense(s.weights.orders[0].matrix));
        expect_blocks(build_separate_operators(s.graph, &s.arcs, s.weights, {Orientation::transposed}),
                      {identity(nodes), means(turned(arcs)), means(arcs), means(ring)});
        RC_ASSERT(count_separate_operators(true, 2) == 4);
        RC_ASSERT(!::testing::Test::HasFailure());
    });
    EXPECT_TRUE(holds);
}

// With loops and weights; of arcs without a partner, too.
TEST(SeparateOperators, TakeNeighborsAsGraphConvolutionsWeighThem) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 12);
        const Sample s = random_sample(nodes, *rc::gen::inRange(0, 20), *rc::gen::arbitrary<bool>(), 1,
                                       *rc::gen::arbitrary<std::uint64_t>());
        const PropagationOptions options{Orientation::paper, Neighbors::symmetric};
        const DenseDouble ring = means(dense(s.weights.orders[0].matrix));
        const Propagation both_ways = build_separate_operators(s.graph, nullptr, s.weights, options);
        expect_blocks(both_ways, {identity(nodes), dense(*build_propagation(s.graph).matrix), ring});
        const DenseDouble out = symmetric(dense(s.arcs));
        expect_blocks(build_separate_operators(s.graph, &s.arcs, s.weights, options),
                      {identity(nodes), turned(out), out, ring});
        RC_ASSERT(!::testing::Test::HasFailure());
    });
    EXPECT_TRUE(holds);
}

TEST(SeparateOperators, LeaveOutWeightsBelowAShareOfTheirRow) {
    const Graph graph(4, std::vector<Edge>{{0, 1}});
    LearnedWeights weights = random_weights(4, 1, 0.0, 1);
    weights.orders[0].matrix = {4, 4, {0, 3, 3, 3, 3}, {1, 2, 3}, {1.4, 0.2, 0.4}};
    const Propagation found =
        build_separate_operators(graph, nullptr, weights, {Orientation::paper, Neighbors::mean, 0.15});
    const SparseRow<float> row = found.matrix->row(2);  // of the first node
    ASSERT_EQ(row.size(), 2U);
    EXPECT_EQ(row.indices[0], 1);
    EXPECT_EQ(row.indices[1], 3);
    EXPECT_FLOAT_EQ(row.values[0], 7.0F / 9);
    EXPECT_FLOAT_EQ(row.values[1], 2.0F / 9);
}

TEST(SeparateOperators, ANodeWithoutNeighborsHasOnlyItself) {
    const Propagation found = build_separate_operators(Graph(3, std::vector<Edge>{{0, 1}, {2, 2}}), nullptr);
    EXPECT_EQ(found.matrix->row(4).values[0], 1.0F);
    EXPECT_EQ(found.matrix->row(5).size(), 0U) << "a loop is no neighbor";
}

TEST(SeparateOperators, WeightsOfAnotherGraphAreRefused) {
    const Graph graph(3, std::vector<Edge>{{0, 1}});
    expect_input_error([&] { build_separate_operators(graph, nullptr, random_weights(4, 1, 0.5, 1)); },
                       {"weights of order 2: 4 x 4, expected 3 x 3"});
    LearnedWeights infinite = random_weights(3, 1, 1.0, 1);
    infinite.orders[0].matrix.values[1] = std::numeric_limits<double>::infinity();
    expect_input_error([&] { build_separate_operators(graph, nullptr, infinite); },
                       {"the weights of node 0 sum to inf"});
}

// Every output brings the rows of all operators; the inputs are what any of them reaches.
TEST(SeparateOperators, FieldsHaveTheRowsOfAllOperators) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 20);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const Sample s = random_sample(nodes, *rc::gen::inRange(0, 20), false, 1, seed);
        const Propagation whole = build_separate_operators(s.graph, &s.arcs, s.weights);
        const auto features =
            std::make_shared<const CsrMatrix<float>>(testing::random_features(nodes, 6, 0.4, seed));
        const std::vector<Index> outputs = {nodes - 1, 0};
        const ReceptiveField field = receptive_field(whole, features, outputs, 2);
        RC_ASSERT(field.nodes == nodes);
        for (const Step& step : field.steps) {
            const CsrMatrix<float>& matrix = *step.forward.matrix;
            RC_ASSERT(step.blocks == 4);
            RC_ASSERT(matrix.rows == 4 * static_cast<Index>(step.outputs->size()));
            RC_ASSERT(step.transposed->columns == matrix.rows);
            RC_ASSERT(static_cast<std::size_t>(matrix.columns) == step.inputs->size());
            std::set<Index> reached(step.outputs->begin(), step.outputs->end());
            for (Index r = 0; r < matrix.rows; ++r) {
                const Index row = step.outputs->at(r / 4) * 4 + r % 4;
                const SparseRow<float> found = matrix.row(r), expected = whole.matrix->row(row);
                RC_ASSERT(step.forward.origin[r] == whole.matrix->offsets[row]);
                RC_ASSERT(found.size() == expected.size());
                for (std::size_t e = 0; e < found.size(); ++e) {
                    RC_ASSERT(step.inputs->at(found.indices[e]) == expected.indices[e]);
                    RC_ASSERT(found.values[e] == expected.values[e]);
                    reached.insert(expected.indices[e]);
                }
            }
            RC_ASSERT(*step.inputs == std::vector<Index>(reached.begin(), reached.end()));
        }
        const ReceptiveField all = whole_field(whole, features, 2);
        RC_ASSERT(all.steps[0].forward.matrix == whole.matrix);
        RC_ASSERT(all.steps[0].blocks == 4);
        RC_ASSERT(all.steps[0].inputs == all.steps[0].outputs);
    });
    EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace hwgcn::separate_operators_test
