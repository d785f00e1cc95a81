#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "explanation/explained_method.hpp"
#include "explanation/input_gradient.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::gradient_test {
namespace {

using Trained = testing::TrainedMethod;

std::vector<std::string> networks() {
    std::vector<std::string> names;
    for (const MethodInfo& method : method_table()) {
        if (method.kind == MethodKind::network) names.push_back(method.name);
    }
    return names;
}

std::vector<std::string> networks_by_gradient() {
    std::vector<std::string> names;
    for (const std::string& name : networks()) {
        if (Trained(name).explainer()->kind() == ExplanationKind::gradient) names.push_back(name);
    }
    return names;
}

// The margin of the network as it stands, by its predictions.
double margin(Trained& trained, const Explanation& explanation) {
    const DenseMatrix probabilities =
        predict_nodes(trained.graph, trained.propagation(), trained.settings, trained.model.parameters, {1});
    return std::log(static_cast<double>(probabilities.at(explanation.node, explanation.predicted))) -
           std::log(static_cast<double>(probabilities.at(explanation.node, explanation.runner_up)));
}

constexpr double step = 0.01;

// (m(1 + h) - m(1 - h)) / 2h, where `scale` multiplies a part of the network or its input.
template <typename Scale>
double slope(Trained& trained, const Explanation& explanation, const Scale& scale) {
    scale(1 + step);
    const double more = margin(trained, explanation);
    scale(1 - step);
    const double less = margin(trained, explanation);
    scale(1);
    return (more - less) / (2 * step);
}

double tolerance(double slope) {
    return 2e-3 + 0.02 * std::abs(slope);
}

TEST(Gradient, IsTheExactExplanationWhereTheNetworkIsLinear) {
    Trained trained("sgc");
    const InputGradient gradient(trained.graph, trained.propagation(), trained.settings,
                                 trained.model.parameters, {1});
    for (const Index node : {0, 7, 31}) {
        const Explanation exact = trained.explainer()->explain(node, 0);
        const InputContributions found = gradient.at(node, true);
        EXPECT_EQ(found.predicted, exact.predicted);
        EXPECT_EQ(found.runner_up, exact.runner_up);
        ASSERT_FALSE(exact.neighbors.empty());
        for (const NeighborTerm& term : exact.neighbors) {
            const auto place = std::ranges::lower_bound(found.nodes, term.node);
            ASSERT_TRUE(place != found.nodes.end() && *place == term.node);
            EXPECT_NEAR(found.by_node[place - found.nodes.begin()], term.contribution, 1e-5);
        }
        // Every feature counts, and nothing else does.
        EXPECT_NEAR(std::accumulate(found.by_feature.begin(), found.by_feature.end(), 0.0), exact.margin,
                    1e-4);
    }
}

TEST(Gradient, ContributionsOffsetAndRestAddUpToTheMarginOfThePrediction) {
    const std::vector<std::string> names = networks_by_gradient();
    ASSERT_FALSE(names.empty());
    for (const std::string& name : names) {
        Trained trained(name);
        const Explanation explanation = trained.explainer()->explain(31, 5);
        EXPECT_EQ(explanation.kind, ExplanationKind::gradient) << name;
        EXPECT_NEAR(explanation.margin, margin(trained, explanation), 1e-4) << name;
        double sum = explanation.offset + explanation.rest, shares = 0, by_distance = sum;
        for (const NeighborTerm& term : explanation.neighbors) {
            sum += term.contribution;
            shares += std::abs(term.share);
            EXPECT_TRUE(std::isnan(term.weight)) << name;
        }
        for (const DistanceShare& part : explanation.by_distance)
            by_distance += part.contribution;
        EXPECT_NEAR(sum, explanation.margin, 1e-9) << name;
        EXPECT_NEAR(by_distance, explanation.margin, 1e-9) << name;
        EXPECT_NEAR(shares, 1.0, 1e-9) << name;
        // MixHop scales every row of features to length 1: its slope must be seen elsewhere.
        if (trained.settings.network() == "mixhop") continue;
        auto& used = method_info(name).takes_given_features ? trained.graph.features.given
                                                            : trained.graph.features.scaled;
        const auto original = used;
        for (const std::size_t k : {0, 1, 2}) {
            const NeighborTerm& term = explanation.neighbors.at(k);
            const double found = slope(trained, explanation, [&](double factor) {
                CsrMatrix<float> features = *original;
                for (std::int64_t e = features.offsets[term.node]; e < features.offsets[term.node + 1]; ++e)
                    features.values[e] *= static_cast<float>(factor);
                used = std::make_shared<const CsrMatrix<float>>(std::move(features));
            });
            EXPECT_NEAR(term.contribution, found, tolerance(found)) << name << ", node " << term.node;
        }
    }
}

// Of every network: what a feature adds is the slope along its row of the matrix that multiplies the
// features.
TEST(Gradient, FeaturesAreTheSlopesAlongTheirWeights) {
    for (const std::string& name : networks()) {
        Trained trained(name);
        // Batch normalisation subtracts means, which are multiplied by the same row.
        if (trained.settings.reads("normalize") && trained.settings.value("normalize") == "on") continue;
        const Index features = trained.graph.features.scaled->columns;
        const Explanation explanation = trained.explainer()->explain(31, 5);
        ASSERT_GE(explanation.features.size(), 3U) << name;
        const std::vector<TrainableMatrix> original = trained.model.parameters;
        for (const std::size_t k : {0, 1, 2}) {
            const FeatureTerm& term = explanation.features[k];
            EXPECT_EQ(term.name, "feature " + std::to_string(term.feature));
            const double found = slope(trained, explanation, [&](double factor) {
                for (std::size_t p = 0; p < original.size(); ++p) {
                    TrainableMatrix& matrix = trained.model.parameters[p];
                    matrix.value = original[p].value;
                    if (matrix.value.rows() != features) continue;
                    for (Index c = 0; c < matrix.value.columns(); ++c)
                        matrix.value.at(term.feature, c) *= static_cast<float>(factor);
                }
            });
            EXPECT_NEAR(term.contribution, found, tolerance(found)) << name << ", " << term.name;
        }
    }
}

TEST(Gradient, FeaturesAndNodesAreTwoWaysToAddTheSame) {
    for (const std::string name : {"gat", "mixhop", "gcn"}) {
        Trained trained(name);
        const InputGradient gradient(trained.graph, trained.propagation(), trained.settings,
                                     trained.model.parameters, {1});
        const InputContributions found = gradient.at(31, true);
        const auto sum = [](const std::vector<double>& parts) {
            return std::accumulate(parts.begin(), parts.end(), 0.0);
        };
        EXPECT_NEAR(sum(found.by_feature), sum(found.by_node), 1e-4) << name;
        const auto place = std::ranges::lower_bound(found.nodes, 31) - found.nodes.begin();
        EXPECT_NEAR(sum(found.own), found.by_node[place], 1e-4) << name;
    }
}

TEST(Gradient, AnIsolatedNodeOfAGatSpeaksForItself) {
    const Explanation explanation = Trained("gat").explainer()->explain(7, 10);
    ASSERT_EQ(explanation.neighbors.size(), 1U);
    EXPECT_EQ(explanation.neighbors[0].node, 7);
    EXPECT_EQ(explanation.neighbors[0].distance, 0);
}

// The means of MixHop's batch normalisation are part of its model.
TEST(Gradient, AnIsolatedNodeOfAMixHopSpeaksForItself) {
    const Explanation explanation = Trained("mixhop").explainer()->explain(7, 10);
    ASSERT_EQ(explanation.neighbors.size(), 1U);
    EXPECT_EQ(explanation.neighbors[0].node, 7);
}

// Without them they are averages over all nodes, connected or not.
TEST(Gradient, NodesThatNoWayLeadsToHaveNoDistanceAndNoPath) {
    Trained trained("mixhop");
    trained.model.parameters.resize(empty_parameters(trained.graph, trained.settings).size());
    const Explanation explanation = trained.explainer()->explain(7, 200);
    const DistanceShare& last = explanation.by_distance.back();
    EXPECT_EQ(last.distance, -1);
    EXPECT_GT(last.nodes, 50);
    for (const NeighborTerm& term : explanation.neighbors) {
        EXPECT_EQ(term.distance, term.node == 7 ? 0 : -1);
        EXPECT_EQ(term.path.empty(), term.node != 7);
    }
}

TEST(Gradient, SharesAreThoseOfTheExplanation) {
    for (const std::string& name : networks_by_gradient()) {
        Trained trained(name);
        const auto explainer = trained.explainer();
        const std::vector<double> shares = explainer->shares(31);
        for (const NeighborTerm& term : explainer->explain(31, 0).neighbors)
            EXPECT_EQ(shares.at(static_cast<std::size_t>(term.node)), term.share) << name;
        EXPECT_GT(explainer->cost(), 0) << name;
    }
}

TEST(Gradient, CanBeStopped) {
    Trained trained("gat");
    const std::atomic<bool> stop = true;
    const InputGradient gradient(trained.graph, trained.propagation(), trained.settings,
                                 trained.model.parameters, {1, nullptr, &stop});
    EXPECT_THROW(gradient.at(3, true), Interrupted);
}

}  // namespace
}  // namespace hwgcn::gradient_test
