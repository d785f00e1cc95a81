#include "hwgcn/explanation/explain.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "explanation/explained_method.hpp"
#include "graph/rings.hpp"
#include "metrics/calibration.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::explain_test {
namespace {

const std::set<std::string> explained = {"mlp",     "linear",    "gcn",    "hwgcn", "hwgcn-wide",
                                         "sgc",     "diffusion", "appnp",  "gpr",   "hwgpr",
                                         "semiemb", "planetoid", "boosted"};

using Trained = testing::TrainedMethod;

class ExplainedMethod : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Name, ExplainedMethod, ::testing::ValuesIn(explained), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST_P(ExplainedMethod, ContributionsAddUpToWhatTheNetworkSays) {
    Trained trained(GetParam());
    DenseMatrix probabilities = predict_nodes(trained.graph, trained.operators.get(trained.settings, {1}),
                                              trained.settings, trained.model.parameters, {1});
    apply_temperature(probabilities, 1.7);
    const auto explainer = trained.explainer(1.7);
    for (const Index node : {0, 7, 31, 119}) {
        const Explanation explanation = explainer->explain(node, 200);
        for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(explanation.probabilities[c], probabilities.at(node, c), 1e-5) << "node " << node;
        EXPECT_EQ(explanation.predicted, argmax(probabilities, node));
        EXPECT_EQ(explanation.kind,
                  GetParam() == "boosted" ? ExplanationKind::shapley : ExplanationKind::exact);
        EXPECT_EQ(explanation.rest, 0.0);
        double sum = explanation.offset, shares = 0, by_distance = explanation.offset;
        for (const NeighborTerm& term : explanation.neighbors) {
            sum += term.contribution;
            shares += std::abs(term.share);
        }
        for (const DistanceShare& part : explanation.by_distance)
            by_distance += part.contribution;
        EXPECT_NEAR(sum, explanation.margin, 1e-9);
        EXPECT_NEAR(by_distance, explanation.margin, 1e-9);
        EXPECT_NEAR(shares, 1.0, 1e-9);
        EXPECT_GE(explanation.margin, 0.0);
        if (explanation.kind != ExplanationKind::shapley) continue;
        double of_features = explanation.offset;
        for (const FeatureTerm& term : explanation.features)
            of_features += term.contribution;
        EXPECT_NEAR(of_features, explanation.margin, 1e-9);
    }
}

TEST_P(ExplainedMethod, PathsAreShortestWaysInTheGraphLargestContributionsFirst) {
    Trained trained(GetParam());
    const Graph& graph = trained.graph.graph;
    RingSearch search(graph);
    const Explanation explanation = trained.explainer()->explain(31, 200);
    double last = std::numeric_limits<double>::infinity();
    for (const NeighborTerm& term : explanation.neighbors) {
        EXPECT_LE(std::abs(term.contribution), last);
        last = std::abs(term.contribution);
        ASSERT_EQ(term.path.size(), static_cast<std::size_t>(term.distance) + 1);
        EXPECT_EQ(term.path.front(), 31);
        EXPECT_EQ(term.path.back(), term.node);
        for (std::size_t k = 1; k < term.path.size(); ++k)
            EXPECT_TRUE(std::ranges::binary_search(graph.neighbors(term.path[k - 1]), term.path[k]));
        if (term.distance == 0) continue;
        const auto ring = search.ring(31, term.distance);
        EXPECT_NE(std::ranges::find(ring, term.node), ring.end()) << "a shorter way";
    }
}

TEST_P(ExplainedMethod, TheSameOnEveryCall) {
    Trained trained(GetParam());
    const Explanation first = trained.explainer()->explain(31, 5);
    const Explanation second = trained.explainer()->explain(31, 5);
    ASSERT_EQ(first.neighbors.size(), second.neighbors.size());
    for (std::size_t k = 0; k < first.neighbors.size(); ++k) {
        EXPECT_EQ(first.neighbors[k].node, second.neighbors[k].node);
        EXPECT_EQ(first.neighbors[k].contribution, second.neighbors[k].contribution);
        EXPECT_EQ(first.neighbors[k].path.empty(), k >= 5) << "only those asked for have paths";
    }
}

TEST(Explain, AnIsolatedNodeSpeaksForItself) {
    Trained trained("hwgcn");
    const Explanation explanation = trained.explainer()->explain(7, 10);
    ASSERT_EQ(explanation.neighbors.size(), 1U);
    EXPECT_EQ(explanation.neighbors[0].node, 7);
    EXPECT_EQ(explanation.neighbors[0].distance, 0);
}

TEST(Explain, AnHwgcnReliesOnFarNodesThatAGcnCannotSee) {
    Trained hwgcn("hwgcn"), gcn("gcn");
    const auto farthest = [](Trained& trained) {
        return trained.explainer()->explain(31, 0).by_distance.back().distance;
    };
    EXPECT_EQ(farthest(gcn), 1);
    EXPECT_EQ(farthest(hwgcn), 3);
}

TEST(Explain, WhatElsePredictsByANetworkIsExplainedByGradientsAndTheRestNotAtAll) {
    for (const MethodInfo& method : method_table()) {
        if (explained.contains(method.name)) continue;
        Trained trained(method.name);
        const auto explainer = trained.explainer();
        ASSERT_EQ(explainer != nullptr, trained.settings.options().maker.network != nullptr) << method.name;
        if (!explainer) continue;
        EXPECT_EQ(explainer->kind(), ExplanationKind::gradient) << method.name;
    }
}

TEST(Explain, AClassicMethodSaysWhyThereIsNoExplanation) {
    Trained trained("lp");
    try {
        expect_explainer(trained.graph, trained.propagation(), trained.settings, trained.model.parameters, {},
                         {1});
        FAIL() << "expected an InputError";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("LP has no explanation: it is no network"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace hwgcn::explain_test
