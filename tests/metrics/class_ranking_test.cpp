#include "metrics/class_ranking.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "io/expect_input_error.hpp"
#include "metrics/predictions.hpp"
#include "metrics/ranking.hpp"

namespace hwgcn::class_ranking_test {
namespace {

using namespace predictions;
using testing::expect_input_error;

// One class against all others, by the column of the class.
double area_of_class(const Predictions& predictions, Index label) {
    std::vector<float> scores;
    std::vector<char> positive;
    for (Index node = 0; node < predictions.probabilities.rows(); ++node) {
        scores.push_back(predictions.probabilities.at(node, label));
        positive.push_back(predictions.labels[node] == label ? 1 : 0);
    }
    return roc_auc(scores, positive);
}

TEST(JudgeRanking, IsTheMeanOverTheClassesThatOccur) {
    Predictions predictions = random_predictions(400, 5, 21);
    std::ranges::replace(predictions.labels, Index{3}, Index{2});  // none is of class 3
    const Metrics metrics = compare_all(predictions);
    double sum = 0;
    std::vector<Index> drawn;
    for (const RankingCurve& curve : metrics.curves) {
        EXPECT_EQ(curve.roc_auc, area_of_class(predictions, curve.label));
        drawn.push_back(curve.label);
    }
    for (const Index label : {0, 1, 2, 4})
        sum += area_of_class(predictions, label) / 4;
    EXPECT_EQ(drawn, (std::vector<Index>{0, 1, 2, 4}));
    EXPECT_NEAR(metrics.roc_auc, sum, 1e-15);
    EXPECT_EQ(metrics.positive, -1);
}

TEST(JudgeRanking, OfTwoClassesIsThatOfThePositiveOne) {
    Predictions predictions = random_predictions(300, 2, 4);
    const std::vector<Index> nodes = all_nodes(300);
    const auto metrics_of = [&](Index positive) {
        return compute_metrics(predictions.probabilities, predictions.labels, nodes, ExecutionControl{},
                               {.positive = positive});
    };
    const Metrics first = metrics_of(0), second = metrics_of(1);
    EXPECT_EQ(first.positive, 0);
    EXPECT_EQ(second.positive, 1);
    EXPECT_NEAR(first.roc_auc, second.roc_auc, 1e-12);
    EXPECT_NE(first.average_precision, second.average_precision);
    ASSERT_EQ(second.curves.size(), 1U);
    EXPECT_EQ(second.curves[0].label, 1);
    EXPECT_EQ(second.roc_auc, area_of_class(predictions, 1));
    EXPECT_EQ(second.average_precision, second.curves[0].average_precision);
    for (const Index wrong : {-2, 2})
        expect_input_error([&] { metrics_of(wrong); }, {"positive class", "0..1"});
}

TEST(JudgeRanking, IsNotANumberWhereAllNodesAreOfOneClass) {
    for (const Counts& confusion : {Counts{{4, 2}, {0, 0}}, Counts{{0, 0}, {2, 4}}, Counts{{0, 0}, {0, 0}}}) {
        const Metrics metrics = compare_all(with_confusion(confusion));
        EXPECT_TRUE(std::isnan(metrics.roc_auc));
        EXPECT_TRUE(std::isnan(metrics.average_precision));
        EXPECT_TRUE(metrics.curves.empty());
        EXPECT_FALSE(std::isnan(metrics.mcc));
        EXPECT_FALSE(std::isnan(metrics.balanced_accuracy));
    }
    const Metrics single = compute_metrics(matrix({{1}, {1}}), std::vector<Index>{0, 0}, all_nodes(2));
    EXPECT_TRUE(std::isnan(single.roc_auc));
    EXPECT_EQ(single.balanced_accuracy, 1);
    EXPECT_EQ(single.mcc, 0);
}

TEST(JudgeRanking, DrawsNoCurvesOfManyClassesButJudgesThemAtAnyNumberOfThreads) {
    const Predictions predictions = random_predictions(5000, 30, 2);
    const std::vector<Index> nodes = all_nodes(5000);
    const Metrics one =
        compute_metrics(predictions.probabilities, predictions.labels, nodes, ExecutionControl{.threads = 1});
    const Metrics several =
        compute_metrics(predictions.probabilities, predictions.labels, nodes, ExecutionControl{.threads = 3});
    EXPECT_TRUE(one.curves.empty());
    EXPECT_NEAR(one.roc_auc, 0.5, 0.05);
    EXPECT_EQ(one.roc_auc, several.roc_auc);
    EXPECT_EQ(one.average_precision, several.average_precision);
}

TEST(JudgeRanking, EndsSoonWhereAStopIsWanted) {
    const Predictions predictions = random_predictions(50, 3, 2);
    const std::atomic<bool> stop = true;
    EXPECT_THROW(compute_metrics(predictions.probabilities, predictions.labels, all_nodes(50),
                                 ExecutionControl{.stop = &stop}),
                 Interrupted);
}

}  // namespace
}  // namespace hwgcn::class_ranking_test
