// What keep, max_ring and the tolerance do to the weights and to what is counted about them.
#include <cstdint>
#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/rings.hpp"
#include "graph/smoothing.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn::weight_options_test {
namespace {

struct Input {
    explicit Input(const Dataset& dataset)
        : graph(dataset.nodes, dataset.edges), features(row_normalized(dataset.features)) {}
    Graph graph;
    CsrMatrix<float> features;
};

const Input& small_input() {
    static const Input input(make_synthetic({.nodes = 300, .vocabulary = 120, .words = 12, .seed = 5}));
    return input;
}

double total(const SparseRow<double>& row) {
    return std::accumulate(row.values.begin(), row.values.end(), 0.0);
}

TEST(WeightOptions, EveryOrderKeepsItsOwnShare) {
    const Input& input = small_input();
    const auto all = learn_weights(input.graph, input.features, {.order = 3});
    const auto kept = learn_weights(input.graph, input.features, {.order = 3, .keep = {1.0, 0.1}});
    EXPECT_EQ(kept.orders[0].matrix.indices, all.orders[0].matrix.indices);
    const CsrMatrix<double> expected = keep_heaviest(all.orders[1].matrix, all.orders[1].ring_sizes, 0.1);
    EXPECT_LT(expected.entries(), all.orders[1].matrix.entries());
    EXPECT_EQ(kept.orders[1].matrix.indices, expected.indices);
    EXPECT_EQ(kept.orders[1].summary.kept, expected.entries());
    EXPECT_EQ(kept.orders[1].summary.support, all.orders[1].summary.support);
}

TEST(WeightOptions, UniformWeightsOfACappedRingShareItsTotal) {
    const Input& input = small_input();
    const auto full =
        learn_weights(input.graph, input.features, {.order = 3, .weighting = Weighting::uniform});
    const auto capped = learn_weights(input.graph, input.features,
                                      {.order = 3, .weighting = Weighting::uniform, .max_ring = 10});
    ASSERT_GT(capped.orders[1].summary.capped_rings, 0);
    for (Index node = 0; node < input.graph.nodes(); ++node) {
        const SparseRow<double> row = capped.orders[1].matrix.row(node);
        EXPECT_LE(row.size(), 10U);
        EXPECT_NEAR(total(row), total(full.orders[1].matrix.row(node)), 1e-12);
        for (const double weight : row.values)
            EXPECT_EQ(weight, row.values[0]);
    }
}

// No solver gets below a tolerance that rounding cannot reach.
TEST(WeightOptions, EverySolveAboveTheToleranceIsCounted) {
    const Input& input = small_input();
    constexpr double tolerance = 1e-300;
    const OrderSummary summary =
        learn_weights(input.graph, input.features, {.order = 2, .tolerance = tolerance}).orders[0].summary;
    RingSearch search(input.graph);
    RowSmoother smoother(input.graph, input.features);
    RingSolver solver(input.features);
    std::int64_t unfinished = 0;
    for (Index node = 0; node < input.graph.nodes(); ++node) {
        const auto ring = search.ring(node, 2);
        if (ring.empty() || !(solver.load(ring, smoother.smooth(node)).total > 0)) continue;
        if (solver.solve_simplex({.tolerance = tolerance}).gap > tolerance) ++unfinished;
    }
    EXPECT_GT(unfinished, 0);
    EXPECT_EQ(summary.unfinished, unfinished);
    EXPECT_GT(summary.worst_gap, tolerance);
}

}  // namespace
}  // namespace hwgcn::weight_options_test
