#include "hwgcn/metrics/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"
#include "metrics/predictions.hpp"

namespace hwgcn::metrics_test {
namespace {

using namespace predictions;
using testing::expect_input_error;

TEST(PredictedClass, IsTheFirstOfTheLargest) {
    const DenseMatrix scores = matrix({{0.2F, 0.5F, 0.3F}, {0.4F, 0.2F, 0.4F}, {-3.0F, -2.0F, -1.0F}});
    EXPECT_EQ(argmax(scores, 0), 1);
    EXPECT_EQ(argmax(scores, 1), 0);
    EXPECT_EQ(argmax(scores, 2), 2);  // not the zero beyond the columns
}

TEST(Judge, HasTheNumbersOfAConfusionMatrixDoneByHand) {
    const Counts confusion{{3, 1, 0}, {1, 1, 1}, {0, 0, 2}};
    const Metrics metrics = compare_all(with_confusion(confusion));
    EXPECT_EQ(metrics.count, 9);
    EXPECT_EQ(metrics.confusion, confusion);
    EXPECT_DOUBLE_EQ(metrics.accuracy, 6.0 / 9);
    struct Expected {
        Index support;
        double precision, recall, f1;
    };
    const std::vector<Expected> expected{
        {4, 3.0 / 4, 3.0 / 4, 3.0 / 4}, {3, 1.0 / 2, 1.0 / 3, 2.0 / 5}, {2, 2.0 / 3, 2.0 / 2, 4.0 / 5}};
    ASSERT_EQ(metrics.classes.size(), 3U);
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(metrics.classes[c].support, expected[c].support);
        EXPECT_DOUBLE_EQ(metrics.classes[c].precision, expected[c].precision);
        EXPECT_DOUBLE_EQ(metrics.classes[c].recall, expected[c].recall);
        EXPECT_DOUBLE_EQ(metrics.classes[c].f1, expected[c].f1);
    }
    EXPECT_DOUBLE_EQ(metrics.macro_f1, (0.75 + 0.4 + 0.8) / 3);
    EXPECT_DOUBLE_EQ(metrics.nll, -(6 * std::log(0.75) + 3 * std::log(0.125)) / 9);
    EXPECT_DOUBLE_EQ(metrics.ece, 0.75 - 6.0 / 9);
}

TEST(Judge, IsPerfectOnThePerfect) {
    const DenseMatrix certain = matrix({{1, 0}, {0, 1}, {0, 1}});
    const Metrics metrics = compute_metrics(certain, std::vector<Index>{0, 1, 1}, all_nodes(3));
    EXPECT_EQ(metrics.accuracy, 1);
    EXPECT_EQ(metrics.macro_f1, 1);
    EXPECT_EQ(metrics.roc_auc, 1);
    EXPECT_EQ(metrics.average_precision, 1);
    EXPECT_EQ(metrics.balanced_accuracy, 1);
    EXPECT_EQ(metrics.mcc, 1);
    EXPECT_EQ(metrics.nll, 0);
    EXPECT_EQ(metrics.ece, 0);
    EXPECT_EQ(metrics.reliability.back().count, 3);
}

TEST(Judge, ClassWithoutSupportHasNoRecallAndCountsOnlyWherePredicted) {
    // Class 1 is predicted, never right; class 3 is neither predicted nor there.
    const Metrics metrics =
        compare_all(with_confusion({{2, 2, 0, 0}, {0, 0, 0, 0}, {0, 0, 4, 0}, {0, 0, 0, 0}}));
    for (const std::size_t c : {1U, 3U}) {
        EXPECT_EQ(metrics.classes[c].support, 0);
        EXPECT_EQ(metrics.classes[c].precision, 0);
        EXPECT_EQ(metrics.classes[c].recall, 0);
        EXPECT_EQ(metrics.classes[c].f1, 0);
    }
    EXPECT_DOUBLE_EQ(metrics.macro_f1, (2.0 / 3 + 0 + 1) / 3);
}

TEST(Judge, AllPredictionsTheSameGiveTheShareOfThatClass) {
    const Metrics metrics = compare_all(with_confusion({{0, 5, 0}, {0, 3, 0}, {0, 2, 0}}));
    EXPECT_DOUBLE_EQ(metrics.accuracy, 0.3);
    EXPECT_DOUBLE_EQ(metrics.classes[1].precision, 0.3);
    EXPECT_EQ(metrics.classes[1].recall, 1);
    EXPECT_DOUBLE_EQ(metrics.macro_f1, 6.0 / 13 / 3);  // 2 * 3 / (3 + 10)
}

TEST(Judge, NoNodesGiveZerosAndNoNotANumber) {
    const Metrics metrics = compute_metrics(matrix({{0.5F, 0.5F}}), std::vector<Index>{-1}, {});
    EXPECT_EQ(metrics.count, 0);
    EXPECT_EQ(metrics.accuracy, 0);
    EXPECT_EQ(metrics.macro_f1, 0);
    EXPECT_EQ(metrics.nll, 0);
    EXPECT_EQ(metrics.ece, 0);
    EXPECT_EQ(metrics.confusion, (Counts{{0, 0}, {0, 0}}));
    ASSERT_EQ(metrics.classes.size(), 2U);
    EXPECT_EQ(metrics.classes[0].f1, 0);
    ASSERT_EQ(metrics.reliability.size(), 15U);
    for (const ReliabilityBin& bin : metrics.reliability) {
        EXPECT_EQ(bin.count, 0);
        EXPECT_EQ(bin.mean_confidence, 0);
        EXPECT_EQ(bin.accuracy, 0);
    }
}

TEST(Judge, ImpossibleLabelHasAFiniteLikelihood) {
    const Metrics metrics = compute_metrics(matrix({{1, 0}}), std::vector<Index>{1}, all_nodes(1));
    EXPECT_DOUBLE_EQ(metrics.nll, 149 * std::numbers::ln2);  // the smallest positive float is 2^-149
    EXPECT_EQ(metrics.ece, 1);
}

TEST(Judge, BinsAreOpenBelowAndClosedAbove) {
    const DenseMatrix rows =
        matrix({{0.25F, 0.25F, 0.25F, 0.25F}, {0.5F, 0.5F, 0, 0}, {0.51F, 0.49F, 0, 0}, {1, 0, 0, 0}});
    const Metrics metrics = compute_metrics(rows, std::vector<Index>{0, 1, 0, 0}, all_nodes(4), 4);
    std::vector<Index> counts;
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(metrics.reliability[i].lower, static_cast<double>(i) / 4);
        EXPECT_EQ(metrics.reliability[i].upper, static_cast<double>(i + 1) / 4);
        counts.push_back(metrics.reliability[i].count);
    }
    EXPECT_EQ(counts, (std::vector<Index>{1, 1, 1, 1}));
    EXPECT_EQ(metrics.reliability[0].accuracy, 1);
    EXPECT_EQ(metrics.reliability[1].accuracy, 0);
    EXPECT_NEAR(metrics.ece, (0.75 + 0.5 + 0.49 + 0) / 4, 1e-7);
}

TEST(Judge, RowsWithoutAnyMassOrWithARoundedOneFallIntoTheOuterBins) {
    const DenseMatrix rows = matrix({{0, 0}, {1.0000001F, 0}});
    const Metrics metrics = compute_metrics(rows, std::vector<Index>{0, 0}, all_nodes(2), 3);
    EXPECT_EQ(metrics.reliability.front().count, 1);
    EXPECT_EQ(metrics.reliability.back().count, 1);
    EXPECT_GE(metrics.nll, 0);
}

TEST(Judge, CalibratedPredictionsHaveNoCalibrationError) {
    EXPECT_DOUBLE_EQ(compare_all(with_confusion({{3, 1}, {0, 0}})).ece, 0);
    EXPECT_DOUBLE_EQ(compare_all(with_confusion({{6, 2}, {1, 3}})).ece, 0);
}

// Everything once more from the definitions, a pass over all nodes for each number.
TEST(Judge, AgreesWithTheDefinitionsOnRandomPredictions) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        constexpr Index nodes = 300, classes = 6;
        constexpr int bins = 10;
        const auto [probabilities, labels] = random_predictions(nodes, classes, seed);
        const Metrics metrics = compute_metrics(probabilities, labels, all_nodes(nodes), bins);

        double nll = 0, macro_f1 = 0, ece = 0;
        for (Index i = 0; i < nodes; ++i)
            nll -= std::log(static_cast<double>(probabilities.at(i, labels[i]))) / nodes;
        for (Index c = 0; c < classes; ++c) {
            double hits = 0, supported = 0, predicted = 0;
            for (Index i = 0; i < nodes; ++i) {
                const Index prediction = argmax(probabilities, i);
                supported += labels[i] == c ? 1 : 0;
                predicted += prediction == c ? 1 : 0;
                hits += labels[i] == c && prediction == c ? 1 : 0;
            }
            const double precision = hits / predicted, recall = hits / supported;
            macro_f1 += 2 * precision * recall / (precision + recall) / classes;
        }
        for (int b = 0; b < bins; ++b) {
            double hits = 0, confidence_sum = 0;
            for (Index i = 0; i < nodes; ++i) {
                const Index prediction = argmax(probabilities, i);
                const double confidence = probabilities.at(i, prediction);
                if (confidence * bins <= b || confidence * bins > b + 1) continue;
                hits += prediction == labels[i] ? 1 : 0;
                confidence_sum += confidence;
            }
            ece += std::abs(hits - confidence_sum) / nodes;
        }
        EXPECT_NEAR(metrics.nll, nll, 1e-12);
        EXPECT_NEAR(metrics.macro_f1, macro_f1, 1e-12);
        EXPECT_NEAR(metrics.ece, ece, 1e-12);
    }
}

TEST(Judge, BinsClassesAndConfusionAddUpToTheWhole) {
    const Metrics metrics = compare_all(random_predictions(500, 4, 9));
    Index in_bins = 0, supported = 0, counted = 0;
    double hits_in_bins = 0;
    for (const ReliabilityBin& bin : metrics.reliability) {
        in_bins += bin.count;
        hits_in_bins += bin.accuracy * bin.count;
        if (bin.count == 0) continue;
        EXPECT_GT(bin.mean_confidence, bin.lower);
        EXPECT_LE(bin.mean_confidence, bin.upper);
    }
    for (std::size_t c = 0; c < 4; ++c) {
        supported += metrics.classes[c].support;
        counted = std::accumulate(metrics.confusion[c].begin(), metrics.confusion[c].end(), counted);
    }
    EXPECT_EQ(in_bins, 500);
    EXPECT_EQ(supported, 500);
    EXPECT_EQ(counted, 500);
    EXPECT_NEAR(hits_in_bins / 500, metrics.accuracy, 1e-12);
}

TEST(Judge, BalancedAccuracyAndCorrelationDoNotRewardTheCommonestClass) {
    const Metrics constant = compare_all(with_confusion({{90, 0}, {10, 0}}));
    EXPECT_DOUBLE_EQ(constant.accuracy, 0.9);
    EXPECT_DOUBLE_EQ(constant.balanced_accuracy, 0.5);
    EXPECT_EQ(constant.mcc, 0);
    EXPECT_DOUBLE_EQ(constant.roc_auc, 0.5);
    EXPECT_DOUBLE_EQ(constant.average_precision, 0.1);
    EXPECT_EQ(constant.positive, 1);

    // The usual formula for two classes: (TP TN - FP FN) / sqrt(..).
    const Metrics two = compare_all(with_confusion({{80, 10}, {4, 6}}));
    EXPECT_DOUBLE_EQ(two.balanced_accuracy, (80.0 / 90 + 6.0 / 10) / 2);
    EXPECT_DOUBLE_EQ(two.mcc, (80.0 * 6 - 10 * 4) / std::sqrt(90.0 * 10 * 84 * 16));

    const Metrics three = compare_all(with_confusion({{3, 1, 0}, {1, 1, 1}, {0, 0, 2}}));
    EXPECT_DOUBLE_EQ(three.balanced_accuracy, (3.0 / 4 + 1.0 / 3 + 1) / 3);
    // n h = 54, labels (4, 3, 2), predictions (4, 2, 3).
    EXPECT_DOUBLE_EQ(three.mcc, (54.0 - 28) / (81 - 29));
    // A class that no node has does not count.
    const Metrics absent = compare_all(with_confusion({{3, 0, 1}, {0, 4, 0}, {0, 0, 0}}));
    EXPECT_DOUBLE_EQ(absent.balanced_accuracy, (0.75 + 1) / 2);
    EXPECT_EQ(compare_all(with_confusion({{0, 5}, {5, 0}})).mcc, -1);
}

TEST(Judge, LooksOnlyAtTheGivenNodes) {
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    const DenseMatrix rows = matrix({{0.9F, 0.1F}, {not_a_number, 7}, {0.2F, 0.8F}, {0.6F, 0.4F}});
    const std::vector<Index> labels{0, -1, 1, 1};
    const Metrics forth = compute_metrics(rows, labels, std::vector<Index>{0, 2, 3});
    const Metrics back = compute_metrics(rows, labels, std::vector<Index>{3, 2, 0});
    EXPECT_EQ(forth.count, 3);
    EXPECT_DOUBLE_EQ(forth.accuracy, 2.0 / 3);
    EXPECT_EQ(forth.confusion, back.confusion);
    EXPECT_DOUBLE_EQ(forth.nll, back.nll);
    EXPECT_DOUBLE_EQ(forth.ece, back.ece);
}

TEST(Judge, NamesTheNodeThatCannotBeJudged) {
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    const DenseMatrix rows = matrix({{0.9F, 0.1F}, {0.5F, not_a_number}, {-0.1F, 0.8F}, {3, 1}, {1, 0}});
    const std::vector<Index> labels{0, 1, 0, 0, -1};
    const auto metrics_at = [&](Index node) {
        return [&, node] { compute_metrics(rows, labels, std::vector{0, node}); };
    };
    expect_input_error(metrics_at(1), {"node 1", "class 1", "nan"});
    expect_input_error(metrics_at(2), {"node 2", "class 0", "-0.1"});
    expect_input_error(metrics_at(3), {"node 3", "class 0", "got 3"});
    expect_input_error(metrics_at(4), {"node 4", "label in 0..1", "got -1"});
    expect_input_error(metrics_at(5), {"node 5", "0..4"});
    expect_input_error(metrics_at(-1), {"node -1", "0..4"});
    const std::vector<Index> too_large{2, 0, 0, 0, 0};
    expect_input_error([&] { compute_metrics(rows, too_large, all_nodes(1)); },
                       {"node 0", "label in 0..1", "got 2"});
}

TEST(Judge, RejectsShapesThatDoNotAgree) {
    const DenseMatrix rows = matrix({{0.9F, 0.1F}, {0.5F, 0.5F}});
    const std::vector<Index> labels{0, 1};
    expect_input_error([&] { compute_metrics(rows, std::vector<Index>{0}, all_nodes(1)); },
                       {"2 rows", "got 1"});
    for (const int bins : {0, -3})
        expect_input_error([&] { compute_metrics(rows, labels, all_nodes(2), bins); },
                           {"reliability bins", "at least 1"});
}

TEST(ClassSupport, CountsTheNodesOfEachClass) {
    const std::vector<Index> labels = {2, 0, 2, 2, 0};
    EXPECT_EQ(class_support(labels, std::vector<Index>{0, 1, 3}, 4), (std::vector<Index>{1, 0, 2, 0}));
    Metrics metrics;
    metrics.confusion = {{3, 1}, {0, 2}};
    EXPECT_EQ(class_support(metrics), (std::vector<Index>{4, 2}));
}

TEST(CommonestClass, IsThatOfTrainingAndOfSeveralTheOneThatDoesBest) {
    using Support = std::vector<Index>;
    const auto commonest = [](const Support& training, const Support& judged) {
        const CommonestClass found = commonest_class(training, judged);
        return std::pair(found.label, found.nodes);
    };
    EXPECT_EQ(commonest({3, 9, 5}, {40, 2, 60}), std::pair(Index{1}, Index{2}));
    EXPECT_EQ(commonest({5, 5, 5}, {4, 8, 8}), std::pair(Index{1}, Index{8})) << "the first of equals";
    EXPECT_EQ(commonest({}, {}), std::pair(Index{-1}, Index{0}));
}

TEST(ShowsRanking, OfTwoClassesAndWhereOneIsRare) {
    EXPECT_TRUE(shows_ranking(std::vector<Index>{50, 50}));
    EXPECT_TRUE(shows_ranking(std::vector<Index>{50, 0}));
    EXPECT_FALSE(shows_ranking(std::vector<Index>{20, 20, 20}));
    EXPECT_FALSE(shows_ranking(std::vector<Index>{10, 55, 55})) << "a quarter of its equal share";
    EXPECT_TRUE(shows_ranking(std::vector<Index>{9, 55, 55}));
    EXPECT_FALSE(shows_ranking(std::vector<Index>{0, 55, 55})) << "not there at all";
    EXPECT_FALSE(shows_ranking(std::vector<Index>{5}));
    EXPECT_FALSE(shows_ranking({}));
}

}  // namespace
}  // namespace hwgcn::metrics_test
