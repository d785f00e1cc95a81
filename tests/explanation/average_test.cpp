// Explanations of runs that average several methods.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/explanation/feature_importance.hpp"

#include "explanation/explained_method.hpp"
#include "metrics/calibration.hpp"

namespace hwgcn::average_explanation_test {
namespace {

// Two communities: every method speaks of the same two classes.
Dataset two_classes() {
    SyntheticOptions options;
    options.nodes = 120;
    options.classes = 2;
    options.vocabulary = 30;
    options.words = 5;
    return make_synthetic(options);
}

/// Methods that were trained on the same graph, and their average.
struct Average {
    PreparedGraph graph = prepare_graph(two_classes());
    OperatorPool operators{graph};
    Split split = random_split(graph.dataset, {5, 20, 20, 1});
    std::vector<Member> members = {};
    ShownScores shown{1.4, {}};

    explicit Average(const std::vector<std::pair<std::string, MemberShare>>& methods) {
        for (const auto& [method, share] : methods) {
            MethodSettings settings(method, "synthetic");
            settings.apply(settings.read_among({{"epochs", "15"}, {"hidden", "16"}, {"order", "3"}}));
            TrainedModel model = train(graph, operators.get(settings, {1}), settings, split, 2, {1});
            members.push_back({settings, share, std::move(model.parameters)});
        }
    }

    OperatorSource source() {
        return [this](const MethodSettings& settings) -> const Propagation& {
            return operators.get(settings, {1});
        };
    }

    std::unique_ptr<Explainer> explainer() { return make_explainer(graph, source(), members, shown, {1}); }

    DenseMatrix probabilities() {
        DenseMatrix result = predict_members(graph, source(), members, shown.decision, {1});
        calibrate(result, shown.decision, shown.temperature);
        return result;
    }

    std::unique_ptr<Explainer> alone(const Member& member) {
        return make_explainer(graph, operators.get(member.settings, {1}), member.settings, member.parameters,
                              {}, {1});
    }
};

// Exact, a gradient and Shapley values together.
TEST(AverageExplanation, ContributionsAddUpToTheWeightedMeanOfTheMargins) {
    Average average({{"hwgcn", {0.5, 0.4}}, {"sage", {0.3, 2.5}}, {"boosted", {0.2, 1.2}}});
    const DenseMatrix probabilities = average.probabilities();
    const auto explainer = average.explainer();
    for (const Index node : {0, 31, 64, 119}) {
        const Explanation found = explainer->explain(node, 5);
        EXPECT_EQ(found.kind, ExplanationKind::average);
        for (Index c = 0; c < 2; ++c)
            EXPECT_NEAR(found.probabilities[c], probabilities.at(node, c), 1e-5);
        EXPECT_EQ(found.predicted, argmax(probabilities, node));

        // Each member by itself, which may have put the other class first.
        double margin = 0;
        std::vector<double> by_node(120, 0.0), by_feature(31, 0.0);
        for (const Member& member : average.members) {
            const Explanation own = average.alone(member)->explain(node, 5);
            const double factor = (own.predicted == found.predicted ? 1.0 : -1.0) * member.share.weight /
                                  member.share.temperature;
            margin += factor * own.margin;
            for (const NeighborTerm& term : own.neighbors)
                by_node[term.node] += factor * term.contribution;
            for (const FeatureTerm& term : own.features)
                by_feature[static_cast<std::size_t>(term.feature + 1)] += factor * term.contribution;
        }
        EXPECT_NEAR(found.margin, margin, 1e-5 * (1 + std::abs(margin)));
        double sum = found.offset + found.rest;
        for (const NeighborTerm& term : found.neighbors) {
            sum += term.contribution;
            EXPECT_NEAR(term.contribution, by_node[term.node], 1e-5);
            EXPECT_TRUE(std::isnan(term.weight));
        }
        EXPECT_NEAR(sum, found.margin, 1e-9);
        for (const FeatureTerm& term : found.features)
            EXPECT_NEAR(term.contribution, by_feature[static_cast<std::size_t>(term.feature + 1)], 1e-5);
        ASSERT_EQ(found.members.size(), 3U);
        EXPECT_EQ(found.members[0].kind, ExplanationKind::exact);
        EXPECT_EQ(found.members[1].kind, ExplanationKind::gradient);
        EXPECT_EQ(found.members[2].kind, ExplanationKind::shapley);
        double of_members = 0;
        for (const MemberMargin& one : found.members)
            of_members += one.share.weight / one.share.temperature * one.margin;
        EXPECT_NEAR(of_members, found.margin, 1e-9);
    }
}

TEST(AverageExplanation, WhatHasNoExplanationIsNamedAndInTheRest) {
    Average average({{"gcn", {0.5, 1}}, {"lp", {0.5, 1}}});
    const Explanation found = average.explainer()->explain(3, 5);
    EXPECT_TRUE(found.members[0].kind.has_value());
    EXPECT_FALSE(found.members[1].kind.has_value());
    EXPECT_NEAR(found.rest, 0.5 * found.members[1].margin, 1e-6);
    EXPECT_NEAR(found.probabilities[found.predicted], average.probabilities().at(3, found.predicted), 1e-5);

    Average opaque({{"lp", {0.5, 1}}, {"lp", {0.5, 1}}});
    EXPECT_EQ(opaque.explainer(), nullptr);
    EXPECT_THROW(expect_explainer(average.graph, average.source(), {&average.members[1], 1}, {}, {1}),
                 InputError);
}

TEST(AverageExplanation, ImportancesAreOfWhatAllSayTogether) {
    Average average({{"gcn", {0.4, 0.5}}, {"sage", {0.6, 2.0}}});
    const ImportanceOptions options{.repeats = 2, .shown = average.shown};
    const FeatureImportances found =
        measure_importances(average.graph, average.source(), average.members, average.split, options, {1});
    const DenseMatrix probabilities = average.probabilities();
    double right = 0;
    for (const Index node : average.split.test)
        right += argmax(probabilities, node) == average.graph.dataset.labels[node] ? 1.0 : 0.0;
    EXPECT_NEAR(found.score, right / static_cast<double>(average.split.test.size()), 1e-12);
    EXPECT_FALSE(found.columns.empty());

    // Two of the same are as good as one.
    Average twice({{"gcn", {0.5, 1}}, {"gcn", {0.5, 1}}});
    const FeatureImportances both =
        measure_importances(twice.graph, twice.source(), twice.members, twice.split, options, {1});
    const FeatureImportances one =
        measure_importances(twice.graph, twice.source(), {&twice.members[0], 1}, twice.split, options, {1});
    ASSERT_EQ(both.columns.size(), one.columns.size());
    for (std::size_t k = 0; k < one.columns.size(); ++k) {
        EXPECT_EQ(both.columns[k].name, one.columns[k].name);
        EXPECT_EQ(both.columns[k].drops, one.columns[k].drops);
    }
}

}  // namespace
}  // namespace hwgcn::average_explanation_test
