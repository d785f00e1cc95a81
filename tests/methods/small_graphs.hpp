#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "graph/random_graph.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::testing {

/// A graph and its features, for methods that want nothing else.
struct SmallGraph {
    Propagation weights;
    CsrMatrix<float> features;
    Index classes;

    SmallGraph(Index nodes, const std::vector<Edge>& edges, Index class_count, CsrMatrix<float> rows = {})
        : weights(weighted_graph(Graph(nodes, edges))), features(std::move(rows)), classes(class_count) {
        if (features.rows == 0)
            features = {nodes, 0, std::vector<std::int64_t>(nodes + std::size_t{1}), {}, {}};
    }

    ClassicGraph view() const { return {*weights.matrix, features, classes}; }
};

inline std::vector<Edge> path(Index nodes) {
    std::vector<Edge> edges;
    for (Index i = 0; i + 1 < nodes; ++i)
        edges.push_back({i, i + 1});
    return edges;
}

/// What a method says about every node.
inline DenseMatrix learn_and_predict(const ClassicMethod& method, const SmallGraph& graph,
                                     const KnownLabels& known, std::uint64_t seed = 0, int threads = 1) {
    const ClassicModel model = method.learn(graph.view(), known, seed, {threads});
    const auto shapes =
        method.empty_parameters({graph.features.columns, graph.classes, graph.view().nodes()});
    EXPECT_EQ(shapes.size(), model.parameters.size());
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        EXPECT_EQ(shapes[k].name, model.parameters[k].name);
        EXPECT_EQ(shapes[k].value.rows(), model.parameters[k].value.rows());
        EXPECT_EQ(shapes[k].value.columns(), model.parameters[k].value.columns());
    }
    return method.probabilities(graph.view(), model.parameters, {threads});
}

/// Every row is a distribution.
inline void expect_probabilities(const DenseMatrix& probabilities) {
    for (Index i = 0; i < probabilities.rows(); ++i) {
        double sum = 0;
        for (Index c = 0; c < probabilities.columns(); ++c) {
            EXPECT_TRUE(std::isfinite(probabilities.at(i, c))) << i;
            EXPECT_GE(probabilities.at(i, c), 0.0F) << i;
            sum += static_cast<double>(probabilities.at(i, c));
        }
        EXPECT_NEAR(sum, 1.0, 1e-5) << i;
    }
}

/// Solves A x = b by elimination with pivoting: small, plain, and not what the program does.
inline std::vector<double> solve_dense(std::vector<std::vector<double>> a, std::vector<double> b) {
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t pivot = k;
        for (std::size_t i = k; i < n; ++i) {
            if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
        }
        std::swap(a[k], a[pivot]);
        std::swap(b[k], b[pivot]);
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return b;
}

}  // namespace hwgcn::testing
