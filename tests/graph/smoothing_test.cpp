#include "graph/smoothing.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "graph/random_graph.hpp"

namespace hwgcn::smoothing_test {
namespace {

using Dense = std::vector<std::vector<double>>;

// The oracle: D^-1/2 (A + I) D^-1/2 X with dense matrices, exactly as the formula reads.
Dense smoothed(Index nodes, const std::vector<Edge>& edges, const CsrMatrix<float>& features) {
    Dense a(nodes, std::vector<double>(nodes, 0.0));
    for (const Edge& e : edges)
        a[e.from][e.to] = a[e.to][e.from] = 1.0;
    std::vector<double> degree(nodes, 0.0);
    for (Index i = 0; i < nodes; ++i) {
        a[i][i] += 1.0;
        for (Index j = 0; j < nodes; ++j)
            degree[i] += a[i][j];
    }
    Dense result(nodes, std::vector<double>(features.columns, 0.0));
    for (Index i = 0; i < nodes; ++i) {
        for (Index j = 0; j < nodes; ++j) {
            const auto row = features.row(j);
            for (std::size_t e = 0; e < row.size(); ++e) {
                result[i][row.indices[e]] +=
                    a[i][j] / std::sqrt(degree[i]) / std::sqrt(degree[j]) * row.values[e];
            }
        }
    }
    return result;
}

TEST(RowSmoother, AgreesWithTheDenseFormula) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(1, 15);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const auto edges = testing::random_edges(nodes, *rc::gen::inRange(0, 30), seed);
        const auto features = testing::random_features(nodes, 7, 0.4, seed);
        const Graph graph(nodes, edges);
        const Dense expected = smoothed(nodes, edges, features);
        RowSmoother smoother(graph, features);
        for (Index i = 0; i < nodes; ++i) {
            const SparseVector& row = smoother.smooth(i);
            RC_ASSERT(std::is_sorted(row.columns.begin(), row.columns.end()));
            std::vector<double> found(7, 0.0);
            for (std::size_t e = 0; e < row.columns.size(); ++e)
                found[row.columns[e]] = row.values[e];
            for (Index f = 0; f < 7; ++f)
                RC_ASSERT(std::abs(found[f] - expected[i][f]) < 1e-12);
        }
    });
    EXPECT_TRUE(holds);
}

TEST(RowSmoother, IgnoresStoredZeros) {
    const Graph graph(2, std::vector<Edge>{{0, 1}});
    const CsrMatrix<float> features{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {0.0F, 1.0F, 0.0F, 1.0F}};
    RowSmoother smoother(graph, features);
    const SparseVector& row = smoother.smooth(0);
    ASSERT_EQ(row.columns.size(), row.values.size());
    double total = 0;
    for (const double value : row.values)
        total += value;
    EXPECT_NEAR(total, 1.0, 1e-15);
}

}  // namespace
}  // namespace hwgcn::smoothing_test
