#include "weights/weight_outlook.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/dataset/synthetic.hpp"

namespace hwgcn::weight_outlook_test {
namespace {

using ::testing::HasSubstr;

using Features = GraphTraits::Features;

// As Cora's published split has them.
GraphTraits cora() {
    return {.mean_degree = 3.9,
            .homophily = 0.81,
            .classes = 7,
            .labels_per_class = 20,
            .features = Features::words,
            .words_per_node = 18.2};
}

Outlook outlook_of(const GraphTraits& traits) {
    return weight_outlook(traits).outlook;
}

TEST(WeightOutlook, FewLabelsOnASparseGraphAreLikelyToGain) {
    const WeightOutlook outlook = weight_outlook(cora());
    EXPECT_EQ(outlook.outlook, Outlook::likely);
    EXPECT_EQ(outlook.most_labels_per_class, 21);  // 400 / 18.2
    EXPECT_EQ(outlook.reason,
              "20 training labels per class, 18 words per node, mean degree 3.9, homophily 0.81");
}

TEST(WeightOutlook, EachTraitAloneCanRuleItOut) {
    GraphTraits traits = cora();
    traits.labels_per_class = 22;
    EXPECT_EQ(outlook_of(traits), Outlook::unlikely);
    EXPECT_EQ(weight_outlook(traits).reason, "22 training labels per class; likely with up to 21");
    EXPECT_EQ(weight_outlook(traits).most_labels_per_class, 21);
    traits = cora();
    traits.mean_degree = 31.13;
    EXPECT_EQ(outlook_of(traits), Outlook::unlikely);
    EXPECT_EQ(weight_outlook(traits).reason, "mean degree 31, above 6");
    EXPECT_EQ(weight_outlook(traits).most_labels_per_class, 0);
    traits.homophily = 0.3;
    EXPECT_EQ(weight_outlook(traits).reason, "mean degree 31, above 6; homophily 0.30, below 0.6");
    traits = cora();
    traits.words_per_node = 90;
    EXPECT_EQ(outlook_of(traits), Outlook::unlikely);
    EXPECT_EQ(weight_outlook(traits).reason, "90 words per node, above 60");
}

TEST(WeightOutlook, MoreWordsPerNodeNeedFewerLabels) {
    GraphTraits traits = cora();
    int before = std::numeric_limits<int>::max();
    for (const double words : {5.0, 10.0, 20.0, 40.0, 50.0}) {
        traits.words_per_node = words;
        const int most = weight_outlook(traits).most_labels_per_class;
        EXPECT_LT(most, before) << words;
        EXPECT_DOUBLE_EQ(most * words, 400);
        before = most;
    }
}

TEST(WeightOutlook, UnknownHomophilyIsACondition) {
    GraphTraits traits = cora();
    traits.homophily = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(outlook_of(traits), Outlook::likely);
    EXPECT_THAT(weight_outlook(traits).reason, HasSubstr("if 60 % of the edges or more stay within a class"));
}

TEST(WeightOutlook, WhatWasNotMeasuredIsUnknown) {
    const auto reason = [](const auto& change) {
        GraphTraits traits = cora();
        change(traits);
        EXPECT_EQ(outlook_of(traits), Outlook::unknown);
        return weight_outlook(traits).reason;
    };
    EXPECT_THAT(reason([](GraphTraits& t) { t.features = Features::none; }), HasSubstr("no features"));
    EXPECT_THAT(reason([](GraphTraits& t) { t.features = Features::numbers; }), HasSubstr("numbers"));
    EXPECT_THAT(reason([](GraphTraits& t) { t.directed = true; }), HasSubstr("directions"));
    EXPECT_THAT(reason([](GraphTraits& t) { t.weighted = true; }), HasSubstr("weights"));
    EXPECT_THAT(reason([](GraphTraits& t) { t.words_per_node = 1; }), HasSubstr("fewer than 5"));
    EXPECT_THAT(reason([](GraphTraits& t) { t.mean_degree = 1.25; }), HasSubstr("mean degree 1.2; below 2"));
    EXPECT_THAT(reason([](GraphTraits& t) { t.classes = 1; }), HasSubstr("single class"));
    EXPECT_EQ(reason([](GraphTraits& t) { t.labels_per_class = 0; }),
              "no labels; likely with up to 21 per class");
    EXPECT_EQ(outlook_of({}), Outlook::unknown);
}

GraphTraits traits_of_dataset(Dataset dataset) {
    const Graph graph = graph_of(dataset);
    const GraphSummary summary = summarize_graph(graph, dataset.labels);
    const FeatureScaling scaling = scale_features(dataset);
    return traits_of(dataset, scaling, graph, summary);
}

TEST(GraphTraits, AreThoseOfTheDataset) {
    SyntheticOptions options;
    options.nodes = 300;
    options.mean_degree = 4;
    options.words = 12;
    Dataset dataset = make_synthetic(options);
    GraphTraits traits = traits_of_dataset(dataset);
    EXPECT_NEAR(traits.mean_degree, 4, 0.01);
    EXPECT_NEAR(traits.homophily, 0.8, 0.01);
    EXPECT_EQ(traits.features, Features::words);
    EXPECT_DOUBLE_EQ(traits.words_per_node, 12);
    EXPECT_DOUBLE_EQ(traits.labels_per_class, 0.6 * 60) << "60 labels per class are many";
    EXPECT_FALSE(traits.weighted || traits.directed);

    for (std::size_t node = 100; node < 300; ++node)
        dataset.labels[node] = unlabelled;
    EXPECT_DOUBLE_EQ(traits_of_dataset(dataset).labels_per_class, 20) << "few labels train all";
    dataset.published_split = Split{"own", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {}, {}};
    EXPECT_DOUBLE_EQ(traits_of_dataset(dataset).labels_per_class, 2);
    dataset.published_split.reset();
    dataset.labels.assign(300, unlabelled);
    traits = traits_of_dataset(dataset);
    EXPECT_TRUE(std::isnan(traits.homophily)) << "no edge has two known labels";
    EXPECT_EQ(traits.labels_per_class, 0);
}

TEST(GraphTraits, KnowWeightsDirectionsAndNumbers) {
    SyntheticOptions options;
    options.nodes = 200;
    options.noise_edges = 1;
    Dataset dataset = make_synthetic(options);
    EXPECT_TRUE(traits_of_dataset(dataset).weighted);
    dataset.directed = true;
    EXPECT_TRUE(traits_of_dataset(dataset).directed);
    dataset.scale = Scale::standard;
    EXPECT_EQ(traits_of_dataset(dataset).features, Features::numbers);
    dataset.features = {200, 0, std::vector<std::int64_t>(201, 0), {}, {}};
    dataset.feature_names.clear();
    EXPECT_EQ(traits_of_dataset(dataset).features, Features::none);
}

}  // namespace
}  // namespace hwgcn::weight_outlook_test
