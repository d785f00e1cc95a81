#include "graph/structural_features.hpp"

#include <atomic>
#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "graph/random_graph.hpp"

namespace hwgcn::structural_features_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Dense = std::vector<std::vector<double>>;

Dense adjacency(const Graph& graph) {
    const auto nodes = static_cast<std::size_t>(graph.nodes());
    Dense matrix(nodes, std::vector<double>(nodes, 0.0));
    for (Index i = 0; i < graph.nodes(); ++i) {
        for (const Index j : graph.neighbors(i))
            matrix[i][j] = 1;
    }
    return matrix;
}

Dense product(const Dense& a, const Dense& b) {
    Dense result(a.size(), std::vector<double>(a.size(), 0.0));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < a.size(); ++k) {
            for (std::size_t j = 0; a[i][k] != 0 && j < a.size(); ++j)
                result[i][j] += a[i][k] * b[k][j];
        }
    }
    return result;
}

double degree(const Dense& a, std::size_t node) {
    double sum = 0;
    for (const double value : a[node])
        sum += value;
    return sum;
}

// By definition: strips nodes of degree below k until none is left, for every k.
std::vector<double> core_numbers(const Dense& a) {
    std::vector<double> core(a.size(), 0.0);
    for (std::size_t k = 1; k < a.size(); ++k) {
        Dense left = a;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double own = degree(left, i);
                if (own == 0 || own >= static_cast<double>(k)) continue;
                changed = true;
                for (std::size_t j = 0; j < a.size(); ++j)
                    left[i][j] = left[j][i] = 0;
            }
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (degree(left, i) > 0) core[i] = static_cast<double>(k);
        }
    }
    return core;
}

// All columns, by name, from dense matrices.
std::map<std::string, std::vector<double>> expected_columns(const Graph& graph) {
    const Dense a = adjacency(graph);
    const std::size_t nodes = a.size();
    Dense walk = a;
    for (std::size_t i = 0; i < nodes; ++i) {
        for (double& value : walk[i])
            value = value == 0 ? 0 : value / degree(a, i);
    }
    std::map<std::string, std::vector<double>> columns;
    const Dense triangles = product(product(a, a), a);
    for (std::size_t i = 0; i < nodes; ++i) {
        const double own = degree(a, i);
        double around = 0;
        for (std::size_t j = 0; j < nodes; ++j)
            around += a[i][j] * degree(a, j);
        columns["degree"].push_back(std::log1p(own));
        columns["degree of neighbors"].push_back(own == 0 ? 0 : std::log1p(around / own));
        columns["clustering"].push_back(own < 2 ? 0 : triangles[i][i] / (own * (own - 1)));
    }
    for (const double core : core_numbers(a))
        columns["core number"].push_back(std::log1p(core));
    Dense power = walk;
    for (int steps = 2; steps <= 8; ++steps) {
        power = product(power, walk);
        for (std::size_t i = 0; i < nodes; ++i)
            columns["return in " + std::to_string(steps) + " steps"].push_back(power[i][i]);
    }
    return columns;
}

std::vector<double> column_of(const StructuralFeatures& features, std::size_t column) {
    std::vector<double> values(static_cast<std::size_t>(features.values.rows), 0.0);
    for (Index node = 0; node < features.values.rows; ++node) {
        const SparseRow<float> row = features.values.row(node);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (row.indices[e] == static_cast<Index>(column)) values[node] = row.values[e];
        }
    }
    return values;
}

void expect_by_definition(const Graph& graph) {
    const StructuralFeatures made = structural_features(graph, {2});
    const auto expected = expected_columns(graph);
    validate_csr(made.values, "structural features");
    ASSERT_EQ(made.names.size(), expected.size());
    ASSERT_EQ(made.values.columns, static_cast<Index>(expected.size()));
    EXPECT_TRUE(made.notes.empty());
    for (std::size_t column = 0; column < made.names.size(); ++column) {
        const auto found = expected.find(made.names[column]);
        ASSERT_NE(found, expected.end()) << made.names[column];
        const std::vector<double> values = column_of(made, column);
        for (std::size_t node = 0; node < values.size(); ++node)
            EXPECT_NEAR(values[node], found->second[node], 1e-6) << made.names[column] << " of " << node;
    }
}

Graph random_graph(Index nodes, int edges, std::uint64_t seed) {
    return Graph(nodes, testing::random_edges(nodes, edges, seed));
}

TEST(StructuralFeatures, AreWhatTheirDefinitionsSay) {
    for (const int edges : {10, 40, 80, 200, 600}) {
        SCOPED_TRACE(edges);
        expect_by_definition(random_graph(40, edges, static_cast<std::uint64_t>(edges)));
    }
}

TEST(StructuralFeatures, SpecialGraphs) {
    expect_by_definition(Graph(1, std::vector<Edge>{}));
    expect_by_definition(Graph(3, std::vector<Edge>{{0, 0}, {1, 1}}));
    std::vector<Edge> star, clique, cycle;
    for (Index i = 1; i < 12; ++i)
        star.push_back({0, i});
    for (Index i = 0; i < 8; ++i) {
        cycle.push_back({i, (i + 1) % 8});
        for (Index j = 0; j < i; ++j)
            clique.push_back({i, j});
    }
    expect_by_definition(Graph(12, star));
    expect_by_definition(Graph(8, clique));
    expect_by_definition(Graph(8, cycle));
    // A triangle, a path and a lonely node with a loop.
    expect_by_definition(Graph(7, std::vector<Edge>{{0, 1}, {1, 2}, {2, 0}, {2, 2}, {3, 4}, {4, 5}, {6, 6}}));
}

TEST(StructuralFeatures, LoopsAndRepeatedEdgesChangeNothing) {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
    std::vector<Edge> more = edges;
    more.insert(more.end(), {{1, 0}, {2, 3}, {0, 0}, {3, 3}});
    const StructuralFeatures a = structural_features(Graph(5, edges));
    const StructuralFeatures b = structural_features(Graph(5, more));
    EXPECT_EQ(a.values.indices, b.values.indices);
    EXPECT_EQ(a.values.values, b.values.values);
    EXPECT_EQ(a.values.row(4).size(), 0U) << "an isolated node has only zeros";
}

TEST(StructuralFeatures, SameBitsAtAnyThreadCount) {
    const Graph graph = random_graph(3000, 15000, 7);
    const StructuralFeatures one = structural_features(graph, {1});
    for (const int threads : {2, 4}) {
        const StructuralFeatures several = structural_features(graph, {threads});
        EXPECT_EQ(one.values.offsets, several.values.offsets);
        EXPECT_EQ(one.values.indices, several.values.indices);
        EXPECT_EQ(one.values.values, several.values.values);
    }
}

// Three hubs that know everybody: two steps lead everywhere, and longer walks from all nodes are not
// affordable.
TEST(StructuralFeatures, WalksStopWhereTheyWouldTakeTooLong) {
    constexpr Index nodes = 40'000;
    std::vector<Edge> edges;
    for (Index i = 3; i < nodes; ++i) {
        for (Index hub = 0; hub < 3; ++hub)
            edges.push_back({hub, i});
    }
    const Graph graph(nodes, edges);
    const StructuralFeatures made = structural_features(graph, {2});
    EXPECT_THAT(made.names, ElementsAre("degree", "degree of neighbors", "core number", "clustering",
                                        "return in 2 steps"));
    EXPECT_THAT(made.notes, ElementsAre(HasSubstr("returns of walks of more than 2 steps were left out")));
    EXPECT_NEAR(column_of(made, 4)[0], 1.0 / 3.0, 1e-6) << "from a hub to a leaf, and back to one of three";
    EXPECT_NEAR(column_of(made, 3)[5], 0.0, 1e-12);
}

TEST(StructuralFeatures, CanBeStopped) {
    std::atomic<bool> stop = true;
    EXPECT_THROW(structural_features(random_graph(100, 300, 1), {2, nullptr, &stop}), Interrupted);
}

TEST(StructuralFeatures, GoToDatasetsThatHaveNone) {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}};
    const Graph graph(3, edges);
    Dataset dataset;
    dataset.name = "path";
    dataset.nodes = 3;
    dataset.labels.assign(3, unlabelled);
    dataset.features = {3, 0, {0, 0, 0, 0}, {}, {}};
    EXPECT_THAT(use_structural_features(dataset, graph),
                ElementsAre(HasSubstr("`structural_features=off` does without")));
    EXPECT_EQ(dataset.features.columns, 11);
    EXPECT_EQ(dataset.feature_names.size(), 11U);
    EXPECT_EQ(dataset.feature_kinds, std::vector<FeatureKind>(11, FeatureKind::number));
    EXPECT_NO_THROW(validate_dataset(dataset));
    const std::vector<float> before = dataset.features.values;
    EXPECT_TRUE(use_structural_features(dataset, graph).empty()) << "it has features now";
    EXPECT_EQ(dataset.features.values, before);
}

}  // namespace
}  // namespace hwgcn::structural_features_test
