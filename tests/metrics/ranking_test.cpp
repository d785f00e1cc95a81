#include "metrics/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "io/expect_input_error.hpp"
#include "metrics/ranked_positives.hpp"

namespace hwgcn::ranking_test {
namespace {

using testing::expect_input_error;

struct Scored {
    std::vector<float> scores;
    std::vector<char> positive;
};

// Scores with `levels` different values, the fewer the more ties; positives tend to be higher.
Scored random_scores(std::size_t count, std::uint64_t levels, double share, std::uint64_t seed) {
    RandomStream random(seed, 0);
    Scored result;
    for (std::size_t i = 0; i < count; ++i) {
        const bool positive = random.uniform() < share;
        const auto level = static_cast<double>(random.below(levels)) + (positive ? 1.5 : 0.0);
        result.scores.push_back(static_cast<float>(std::floor(level) / static_cast<double>(levels + 2)));
        result.positive.push_back(positive ? 1 : 0);
    }
    return result;
}

// By the definition, pair by pair.
double pairwise_auc(const Scored& scored) {
    double won = 0, pairs = 0;
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        for (std::size_t j = 0; j < scored.scores.size(); ++j) {
            if (scored.positive[i] == 0 || scored.positive[j] != 0) continue;
            pairs += 1;
            if (scored.scores[i] > scored.scores[j]) won += 1;
            if (scored.scores[i] == scored.scores[j]) won += 0.5;
        }
    }
    return won / pairs;
}

double precision_at(const Scored& scored, float threshold) {
    double hits = 0, taken = 0;
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        if (scored.scores[i] < threshold) continue;
        taken += 1;
        hits += scored.positive[i] != 0 ? 1 : 0;
    }
    return hits / taken;
}

double mean_precision(const Scored& scored) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        if (scored.positive[i] == 0) continue;
        sum += precision_at(scored, scored.scores[i]);
        count += 1;
    }
    return sum / count;
}

RankedPositives ranked(const Scored& scored) {
    std::vector<float> positives;
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        if (scored.positive[i] != 0) positives.push_back(scored.scores[i]);
    }
    RankedPositives result(positives);
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        if (scored.positive[i] == 0) result.add_negative(scored.scores[i]);
    }
    return result;
}

TEST(RocAuc, HasTheValuesDoneByHand) {
    EXPECT_EQ(roc_auc(std::vector{0.1F, 0.4F, 0.35F, 0.8F}, std::vector<char>{0, 0, 1, 1}), 0.75);
    EXPECT_EQ(roc_auc(std::vector{1.0F, 2.0F, 3.0F}, std::vector<char>{0, 0, 1}), 1);
    EXPECT_EQ(roc_auc(std::vector{1.0F, 2.0F, 3.0F}, std::vector<char>{1, 0, 0}), 0);
    EXPECT_EQ(roc_auc(std::vector{-1.0F, -1.0F, 3.0F}, std::vector<char>{1, 0, 0}), 0.25);
}

TEST(AveragePrecision, HasTheValuesDoneByHand) {
    // Thresholds 0.8 (1 of 1) and 0.35 (2 of 3).
    EXPECT_DOUBLE_EQ(average_precision(std::vector{0.1F, 0.4F, 0.35F, 0.8F}, std::vector<char>{0, 0, 1, 1}),
                     (1.0 + 2.0 / 3) / 2);
    EXPECT_DOUBLE_EQ(average_precision(std::vector{3.0F, 2.0F, 1.0F}, std::vector<char>{0, 0, 1}), 1.0 / 3);
    // A tie of a positive and a negative: neither comes first.
    EXPECT_DOUBLE_EQ(average_precision(std::vector{5.0F, 5.0F}, std::vector<char>{0, 1}), 0.5);
    EXPECT_DOUBLE_EQ(average_precision(std::vector{5.0F, 5.0F}, std::vector<char>{1, 0}), 0.5);
}

TEST(Ranking, AgreesWithTheDefinitionsPairByPair) {
    for (const std::uint64_t levels : {1, 2, 5, 40, 100000}) {
        for (const double share : {0.02, 0.3, 0.9}) {
            const Scored scored = random_scores(400, levels, share, 7 * levels);
            EXPECT_NEAR(roc_auc(scored.scores, scored.positive), pairwise_auc(scored), 1e-14);
            EXPECT_NEAR(average_precision(scored.scores, scored.positive), mean_precision(scored), 1e-13);
        }
    }
}

TEST(Ranking, ConstantScoresTellNothing) {
    const std::vector<float> scores(50, 0.3F);
    std::vector<char> positive(50, 0);
    std::fill_n(positive.begin(), 10, char{1});
    EXPECT_EQ(roc_auc(scores, positive), 0.5);
    EXPECT_DOUBLE_EQ(average_precision(scores, positive), 0.2);
}

TEST(Ranking, DoesNotDependOnTheOrder) {
    Scored scored = random_scores(300, 20, 0.2, 3);
    const double auc = roc_auc(scored.scores, scored.positive);
    const double precision = average_precision(scored.scores, scored.positive);
    std::reverse(scored.scores.begin(), scored.scores.end());
    std::reverse(scored.positive.begin(), scored.positive.end());
    EXPECT_EQ(roc_auc(scored.scores, scored.positive), auc);
    EXPECT_EQ(average_precision(scored.scores, scored.positive), precision);
}

TEST(Ranking, TheOtherClassHasTheSameAreaAndAnyMonotoneScoreToo) {
    const Scored scored = random_scores(300, 30, 0.2, 5);
    Scored mirrored = scored;
    Scored shrunk = scored;
    for (std::size_t i = 0; i < scored.scores.size(); ++i) {
        mirrored.scores[i] = -scored.scores[i];
        mirrored.positive[i] = scored.positive[i] != 0 ? 0 : 1;
        shrunk.scores[i] = scored.scores[i] * scored.scores[i] * scored.scores[i];
    }
    const double auc = roc_auc(scored.scores, scored.positive);
    EXPECT_DOUBLE_EQ(roc_auc(mirrored.scores, mirrored.positive), auc);
    EXPECT_EQ(roc_auc(shrunk.scores, shrunk.positive), auc);
}

TEST(Ranking, OneKindOnlyIsNotANumber) {
    const std::vector<float> scores{0.1F, 0.2F};
    EXPECT_TRUE(std::isnan(roc_auc(scores, std::vector<char>{1, 1})));
    EXPECT_TRUE(std::isnan(roc_auc(scores, std::vector<char>{0, 0})));
    EXPECT_TRUE(std::isnan(roc_auc({}, {})));
    EXPECT_TRUE(std::isnan(average_precision(scores, std::vector<char>{0, 0})));
    EXPECT_TRUE(std::isnan(average_precision({}, {})));
    EXPECT_EQ(average_precision(scores, std::vector<char>{1, 1}), 1);
}

TEST(Ranking, InfinitiesAndBothZerosAreScoresNotANumberIsNone) {
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(roc_auc(std::vector{-infinity, infinity}, std::vector<char>{0, 1}), 1);
    EXPECT_EQ(roc_auc(std::vector{-0.0F, 0.0F}, std::vector<char>{0, 1}), 0.5);
    const std::vector<float> broken{0.5F, std::nanf("")};
    expect_input_error([&] { roc_auc(broken, std::vector<char>{1, 0}); }, {"score 1", "nan"});
    expect_input_error([&] { average_precision(broken, std::vector<char>{1}); }, {"2 scores", "got 1"});
}

// The trapezoids under a curve.
double area(const std::vector<CurvePoint>& points) {
    double sum = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        sum += (points[i].x - points[i - 1].x) * (points[i].y + points[i - 1].y) / 2;
    return sum;
}

TEST(RankingCurves, HaveTheAreasUnderThem) {
    for (const std::uint64_t levels : {3, 50, 100000}) {
        const Scored scored = random_scores(500, levels, 0.1, levels);
        const RankedPositives ranking = ranked(scored);
        const std::vector<CurvePoint> roc = ranking.roc(100000);
        EXPECT_NEAR(area(roc), ranking.roc_auc(), 1e-12);
        double steps = 0, recall = 0;
        for (const CurvePoint& point : ranking.precision_recall(100000)) {
            steps += (point.x - recall) * point.y;
            recall = point.x;
        }
        EXPECT_NEAR(steps, ranking.average_precision(), 1e-12);
        EXPECT_EQ(recall, 1);
    }
}

TEST(RankingCurves, ThinnedOnesKeepTheirEndsTheirOrderAndTheirShape) {
    const Scored scored = random_scores(30000, 1000000, 0.05, 11);
    const RankedPositives ranking = ranked(scored);
    const std::vector<CurvePoint> roc = ranking.roc(200);
    EXPECT_LE(roc.size(), 200U);
    EXPECT_GT(roc.size(), 100U);
    EXPECT_EQ(roc.front().x + roc.front().y, 0);
    EXPECT_EQ(roc.back().x + roc.back().y, 2);
    for (std::size_t i = 1; i < roc.size(); ++i) {
        EXPECT_GE(roc[i].x, roc[i - 1].x);
        EXPECT_GE(roc[i].y, roc[i - 1].y);
    }
    EXPECT_NEAR(area(roc), ranking.roc_auc(), 0.005);
    const std::vector<CurvePoint> precision_recall = ranking.precision_recall(200);
    EXPECT_LE(precision_recall.size(), 200U);
    EXPECT_EQ(precision_recall.back().x, 1);
}

TEST(RankingCurves, OfOneKindAreEmpty) {
    EXPECT_TRUE(RankedPositives({}).roc(200).empty());
    EXPECT_TRUE(RankedPositives({}).precision_recall(200).empty());
    EXPECT_TRUE(RankedPositives({0.5F}).roc(200).empty());
}

TEST(RarerClass, IsThatWithFewerOfTheNodesAndTheSecondOfEquals) {
    const std::vector<Index> labels{0, 1, 1, 0, -1};
    EXPECT_EQ(rarer_class(labels, std::vector<Index>{0, 1, 2, 4}, 2), 0);
    EXPECT_EQ(rarer_class(labels, std::vector<Index>{0, 1, 3}, 2), 1);
    EXPECT_EQ(rarer_class(labels, std::vector<Index>{0, 1}, 2), 1);
    EXPECT_EQ(rarer_class(labels, {}, 2), 1);
    EXPECT_EQ(rarer_class(labels, std::vector<Index>{0, 1}, 3), -1);
    EXPECT_EQ(rarer_class(labels, std::vector<Index>{0}, 1), -1);
}

}  // namespace
}  // namespace hwgcn::ranking_test
