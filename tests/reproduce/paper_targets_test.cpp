#include "paper_targets.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hwgcn::paper_targets_test {
namespace {

using ::testing::ElementsAre;

// The sum over the methods of a setting, with which a mistyped digit would not agree.
double column_sum(std::string_view dataset, std::string_view setting) {
    double sum = 0;
    for (const std::string_view method : paper_methods(setting))
        sum += paper_accuracy(dataset, method, setting).value();
    return sum;
}

TEST(PaperTargets, AccuraciesStandUnderTheirNames) {
    EXPECT_EQ(paper_accuracy("cora", "hwgcn", "fixed"), 82.9);
    EXPECT_EQ(paper_accuracy("citeseer", "gat", "fixed"), 72.5);
    EXPECT_EQ(paper_accuracy("pubmed", "mixhop", "fixed"), 80.8);
    EXPECT_EQ(paper_accuracy("citeseer", "deepwalk", "fixed"), 43.2);
    EXPECT_EQ(paper_accuracy("cora", "gcn", "random:20"), 80.1);
    EXPECT_EQ(paper_accuracy("pubmed", "gat", "random:20"), 77.7);
    EXPECT_EQ(paper_accuracy("pubmed", "hwgcn", "random:10"), 75.8);
    EXPECT_EQ(paper_accuracy("citeseer", "mixhop", "random:5"), 62.6);
    EXPECT_EQ(paper_accuracy("cora", "mlp", "random:5"), 39.4);
}

TEST(PaperTargets, AccuraciesAddUpToTheSumsOfThePrintedColumns) {
    // The swap of label propagation moves 22.7 from Citeseer to Cora.
    EXPECT_NEAR(column_sum("cora", "fixed"), 766.2 + 22.7, 1e-9);
    EXPECT_NEAR(column_sum("citeseer", "fixed"), 697.1 - 22.7, 1e-9);
    EXPECT_NEAR(column_sum("pubmed", "fixed"), 812.5, 1e-9);
    EXPECT_NEAR(column_sum("cora", "random:20"), 378.9, 1e-9);
    EXPECT_NEAR(column_sum("citeseer", "random:20"), 335.2, 1e-9);
    EXPECT_NEAR(column_sum("pubmed", "random:20"), 385.5, 1e-9);
    EXPECT_NEAR(column_sum("cora", "random:10"), 361.5, 1e-9);
    EXPECT_NEAR(column_sum("citeseer", "random:10"), 313.0, 1e-9);
    EXPECT_NEAR(column_sum("pubmed", "random:10"), 365.3, 1e-9);
    EXPECT_NEAR(column_sum("cora", "random:5"), 330.7, 1e-9);
    EXPECT_NEAR(column_sum("citeseer", "random:5"), 284.9, 1e-9);
    EXPECT_NEAR(column_sum("pubmed", "random:5"), 342.6, 1e-9);
}

TEST(PaperTargets, LabelPropagationIsSwappedBack) {
    EXPECT_EQ(paper_accuracy("cora", "lp", "fixed"), 68.0);
    EXPECT_EQ(paper_accuracy("citeseer", "lp", "fixed"), 45.3);
    EXPECT_EQ(paper_accuracy("pubmed", "lp", "fixed"), 63.0);
}

TEST(PaperTargets, AreNothingForUnknownNames) {
    EXPECT_EQ(paper_accuracy("karate", "gcn", "fixed"), std::nullopt);
    EXPECT_EQ(paper_accuracy("Cora", "gcn", "fixed"), std::nullopt);
    EXPECT_EQ(paper_accuracy("cora", "lp", "random:20"), std::nullopt);
    EXPECT_EQ(paper_accuracy("cora", "gcn", "random:7"), std::nullopt);
    EXPECT_EQ(reference_accuracy("cora", "gat", "fixed"), std::nullopt);
    EXPECT_EQ(published_order("karate"), std::nullopt);
    EXPECT_TRUE(paper_methods("random:7").empty());
}

TEST(PaperTargets, MethodsComeInTheOrderOfThePaper) {
    EXPECT_THAT(paper_methods("random:10"), ElementsAre("mlp", "gat", "gcn", "mixhop", "hwgcn"));
    EXPECT_THAT(paper_methods("fixed"), ElementsAre("mlp", "manireg", "semiemb", "lp", "deepwalk", "ica",
                                                    "planetoid", "gcn", "gat", "mixhop", "hwgcn"));
}

TEST(PaperTargets, DepthStudyHasOneToFourLayers) {
    EXPECT_EQ(paper_gcn_depth(0), std::nullopt);
    EXPECT_EQ(paper_gcn_depth(1), 71.9);
    EXPECT_EQ(paper_gcn_depth(2), paper_accuracy("cora", "gcn", "random:20"));
    EXPECT_EQ(paper_gcn_depth(3), 77.0);
    EXPECT_EQ(paper_gcn_depth(4), 70.6);
    EXPECT_EQ(paper_gcn_depth(5), std::nullopt);
}

TEST(PaperTargets, WeightStatisticsAreSharesOfAWhole) {
    for (const std::string_view dataset : paper_datasets) {
        for (int order = 2; order <= 8; ++order) {
            const WeightStatistics shares = paper_weight_statistics(dataset, order).value();
            EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 100.0, 0.025)
                << dataset << ' ' << order;
        }
        EXPECT_EQ(paper_weight_statistics(dataset, 1), std::nullopt);
        EXPECT_EQ(paper_weight_statistics(dataset, 9), std::nullopt);
    }
    EXPECT_EQ(paper_weight_statistics("karate", 2), std::nullopt);
}

TEST(PaperTargets, WeightStatisticsStandUnderTheirNames) {
    EXPECT_THAT(paper_weight_statistics("cora", 2).value(),
                ElementsAre(42.79, 1.05, 1.91, 16.37, 35.09, 2.79));
    EXPECT_THAT(paper_weight_statistics("cora", 8).value(), ElementsAre(79.47, 0.78, 1.57, 9.66, 8.42, 0.10));
    EXPECT_THAT(paper_weight_statistics("citeseer", 5).value(),
                ElementsAre(62.46, 1.01, 2.09, 16.16, 18.08, 0.20));
    EXPECT_THAT(paper_weight_statistics("pubmed", 3).value(),
                ElementsAre(85.23, 1.75, 1.04, 5.83, 5.78, 0.37));
    EXPECT_THAT(paper_weight_statistics("pubmed", 8).value(),
                ElementsAre(95.61, 0.70, 0.65, 2.17, 0.85, 0.02));
}

TEST(PaperTargets, ThePublishedOrders) {
    EXPECT_EQ(published_order("cora"), 6);
    EXPECT_EQ(published_order("citeseer"), 6);
    EXPECT_EQ(published_order("pubmed"), 5);
}

TEST(AuthorsAccuracy, IsKnownOnTheFixedSplits) {
    EXPECT_THAT(stronger_methods(), ElementsAre("GAT", "APPNP", "GCNII", "GRAND"));
    EXPECT_EQ(authors_accuracy("cora", "GCNII", "fixed"), 85.5);
    EXPECT_EQ(authors_accuracy("citeseer", "GRAND", "fixed"), 75.4);
    EXPECT_EQ(authors_accuracy("pubmed", "APPNP", "fixed"), 80.1);
    EXPECT_EQ(authors_accuracy("pubmed", "GRAND", "random:20"), std::nullopt);
    EXPECT_EQ(authors_accuracy("karate", "GRAND", "fixed"), std::nullopt);
}

TEST(RecipeAccuracy, OfRandomPropagationIsKnownOnOneGraphEach) {
    EXPECT_EQ(recipe_accuracy("cora", "hwgrand", "fixed"), 85.1);
    EXPECT_EQ(recipe_accuracy("citeseer", "hwgrand", "fixed"), std::nullopt);
    EXPECT_EQ(recipe_accuracy("citeseer", "hwgrand-sharp+self-training", "random:5"), 67.4);
    EXPECT_EQ(recipe_accuracy("pubmed", "hwgrand-norm", "random:10"), 78.7);
}

TEST(ReferenceAccuracy, IsKnownForBothMethodsInEverySetting) {
    EXPECT_EQ(reference_accuracy("cora", "gcn", "fixed"), 81.5);
    EXPECT_EQ(reference_accuracy("cora", "hwgcn", "random:5"), 74.5);
    EXPECT_EQ(reference_accuracy("citeseer", "gcn", "random:10"), 64.9);
    EXPECT_EQ(reference_accuracy("pubmed", "hwgcn", "random:20"), 78.2);
    double gcn = 0;
    double hwgcn = 0;
    for (const std::string_view dataset : paper_datasets) {
        for (const std::string_view setting : paper_settings) {
            gcn += reference_accuracy(dataset, "gcn", setting).value();
            hwgcn += reference_accuracy(dataset, "hwgcn", setting).value();
        }
    }
    EXPECT_NEAR(gcn, 868.8, 1e-9);
    EXPECT_NEAR(hwgcn, 888.4, 1e-9);
}

}  // namespace
}  // namespace hwgcn::paper_targets_test
