// Weights learned from features with negative numbers: alpha stays positive, and every solve is certified.
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/rings.hpp"
#include "graph/smoothing.hpp"
#include "weights/ring_solver.hpp"
#include "weights/weight_inputs.hpp"

namespace hwgcn::signed_features_test {
namespace {

constexpr Index width = 6;

// Dense rows with mean 0; a few are long, as outliers are.
CsrMatrix<float> signed_features(Index nodes) {
    std::mt19937 random(11);
    std::normal_distribution<float> normal(0, 1);
    CsrMatrix<float> features{nodes, width, {0}, {}, {}};
    for (Index i = 0; i < nodes; ++i) {
        for (Index f = 0; f < width; ++f) {
            features.indices.push_back(f);
            features.values.push_back(normal(random) * (i % 50 == 0 ? 8.0F : 1.0F));
        }
        features.offsets.push_back(features.entries());
    }
    return features;
}

const Graph& graph() {
    static const Dataset dataset = make_synthetic({.nodes = 300, .seed = 5});
    static const Graph graph(dataset.nodes, dataset.edges);
    return graph;
}

TEST(SignedFeatures, EveryRingGetsWeightsAndEverySolveIsCertified) {
    const CsrMatrix<float> features = signed_features(graph().nodes());
    const LearnedWeights learned = learn_weights(graph(), features, {.order = 3});
    for (const OrderWeights& order : learned.orders) {
        EXPECT_EQ(order.summary.unfinished, 0);
        EXPECT_LE(order.summary.worst_gap, 1e-7);
        for (Index node = 0; node < graph().nodes(); ++node) {
            const SparseRow<double> row = order.matrix.row(node);
            EXPECT_EQ(row.size() > 0, order.ring_sizes[node] > 0) << node;
            for (const double weight : row.values)
                EXPECT_GT(weight, 0);
        }
    }
}

// The rows get a further column b, and t the b that smoothing makes of it; then alpha is <s,t>/<s,s> as for
// features that are not negative.
TEST(SignedFeatures, AlphaIsThatOfFeaturesWithAConstantBesideThem) {
    const CsrMatrix<float> features = signed_features(graph().nodes());
    double constant_square = 0;
    for (Index i = 0; i < features.rows; ++i) {
        double square = 0;
        for (const double value : features.row(i).values)
            square += value * value;
        constant_square = std::max(constant_square, square);
    }
    RingSearch search(graph());
    RowSmoother smoother(graph(), features);
    RingSolver solver(features);
    for (Index node = 0; node < graph().nodes(); ++node) {
        const auto ring = search.ring(node, 2);
        if (ring.empty()) continue;
        const SparseVector& target = smoother.smooth(node);
        double mass = 1 / graph().degree_with_identity(node);
        for (const Index neighbor : graph().neighbors(node))
            mass +=
                1 / std::sqrt(graph().degree_with_identity(node) * graph().degree_with_identity(neighbor));
        std::vector<double> sum(width, 0.0);
        for (const Index member : ring) {
            for (Index f = 0; f < width; ++f)
                sum[f] += static_cast<double>(features.row(member).values[f]);
        }
        const auto size = static_cast<double>(ring.size());
        const double st = std::inner_product(sum.begin(), sum.end(), target.values.begin(), 0.0);
        const double ss = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
        const double alpha = (st + size * mass * constant_square) / (ss + size * size * constant_square);
        EXPECT_NEAR(solver.load(ring, target).alpha, alpha, 1e-12) << node;
        EXPECT_GT(alpha, 0);
    }
}

TEST(SignedFeatures, GiveTheSameBitsAtAnyThreadCount) {
    const CsrMatrix<float> features = signed_features(graph().nodes());
    testing::expect_same_bits(learn_weights(graph(), features, {.order = 3}, {.threads = 1}),
                              learn_weights(graph(), features, {.order = 3}, {.threads = 3}));
}

}  // namespace
}  // namespace hwgcn::signed_features_test
