#include "hwgcn/metrics/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/metrics.hpp"

#include "base/random_stream.hpp"
#include "metrics/calibration.hpp"

namespace hwgcn::decision_test {
namespace {

using ::testing::HasSubstr;
using Kind = ThresholdRule::Kind;

DenseMatrix rows(const std::vector<std::vector<float>>& numbers) {
    DenseMatrix matrix(static_cast<Index>(numbers.size()), static_cast<Index>(numbers.front().size()));
    for (Index i = 0; i < matrix.rows(); ++i)
        std::ranges::copy(numbers[static_cast<std::size_t>(i)], matrix.row(i));
    return matrix;
}

// Labels drawn from probabilities of two classes, most of which are far from the second one.
struct RareForecast {
    DenseMatrix probabilities;
    std::vector<Index> labels;
    std::vector<Index> nodes;

    explicit RareForecast(Index count, int steps = 1000000)
        : probabilities(count, 2), labels(count), nodes(count) {
        RandomStream random(7, 0);
        std::iota(nodes.begin(), nodes.end(), Index{0});
        for (Index i = 0; i < count; ++i) {
            const double even = random.uniform();
            const double p = std::round(even * even * even * steps) / steps;  // a quarter on average
            probabilities.at(i, 0) = static_cast<float>(1 - p);
            probabilities.at(i, 1) = static_cast<float>(p);
            labels[i] = random.uniform() < p ? 1 : 0;
        }
    }
};

TEST(Decide, TakesTheMostProbableClassAndTheFirstOfEquals) {
    const DenseMatrix p = rows({{0.2F, 0.5F, 0.3F}, {0.4F, 0.2F, 0.4F}});
    EXPECT_EQ(decide(p, 0, {}), 1);
    EXPECT_EQ(decide(p, 1, {}), 0);
    EXPECT_EQ(second_choice(p, 0, {}), 2);
    EXPECT_EQ(second_choice(p, 1, {}), 2);
    EXPECT_EQ(second_choice(rows({{1.0F}}), 0, {}), 0) << "there is no other";
}

TEST(Decide, WeighsProbabilitiesByWhatAnErrorCosts) {
    const DenseMatrix p = rows({{0.7F, 0.2F, 0.1F}});
    EXPECT_EQ(decide(p, 0, {{1, 1, 1}, {}}), 0);
    EXPECT_EQ(decide(p, 0, {{1, 4, 1}, {}}), 1);
    EXPECT_EQ(decide(p, 0, {{1, 4, 20}, {}}), 2);
    EXPECT_EQ(second_choice(p, 0, {{1, 4, 20}, {}}), 1);
    EXPECT_EQ(decide(p, 0, {{1e-30, 1e30, 1}, {}}), 1);
}

TEST(Decide, AThresholdIsReachedByItsOwnValueWhicheverTheClassIs) {
    const DenseMatrix p = rows({{0.75F, 0.25F}, {0.25F, 0.75F}, {0.5F, 0.5F}});
    for (const Index positive : {0, 1}) {
        const auto at = [&](double least) { return Decision{{}, Threshold{positive, least}}; };
        const Index low = positive == 1 ? 0 : 1;  // the row that gives the class a quarter
        EXPECT_EQ(decide(p, low, at(0.25)), positive);
        EXPECT_EQ(decide(p, low, at(0.26)), 1 - positive);
        EXPECT_EQ(decide(p, 2, at(0.5)), positive);
        EXPECT_EQ(second_choice(p, 2, at(0.5)), 1 - positive);
    }
    const Decision both{{1, 100}, Threshold{1, 0.9}};
    EXPECT_EQ(decide(p, 1, both), 0) << "a threshold decides, whatever the weights are";
}

TEST(DivideOutWeights, RecoversWhatTheWeightsHadDistorted) {
    const std::vector<double> weights = {0.5, 4.0, 25.0};
    const std::vector<double> truth = {0.9, 0.07, 0.03};
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c)
        sum += weights[c] * truth[c];
    DenseMatrix q(1, 3);
    for (Index c = 0; c < 3; ++c)
        q.at(0, c) = static_cast<float>(weights[c] * truth[c] / sum);
    divide_out_weights(q, weights);
    for (Index c = 0; c < 3; ++c)
        EXPECT_NEAR(q.at(0, c), truth[c], 1e-6);
}

TEST(DivideOutWeights, ChangesNoBitWithoutWeightsAndOverflowsWithNone) {
    const DenseMatrix before = rows({{0.1F, 0.9F}, {1.0F, 0.0F}, {0.0F, 1.0F}});
    DenseMatrix p = before;
    divide_out_weights(p, {});
    EXPECT_TRUE(std::ranges::equal(p.numbers(), before.numbers()));
    const std::vector<double> extreme = {1e-30, 1e30};
    divide_out_weights(p, extreme);
    for (Index i = 0; i < p.rows(); ++i) {
        EXPECT_TRUE(std::isfinite(p.at(i, 0)) && std::isfinite(p.at(i, 1)));
        EXPECT_NEAR(p.at(i, 0) + p.at(i, 1), 1.0F, 1e-6F);
    }
}

TEST(Calibrate, ProbabilitiesUnderClassWeightsAreAsGoodAsThoseWithoutThem) {
    const RareForecast forecast(20000);
    const std::vector<double> weights = {0.6, 3.0};
    DenseMatrix said = forecast.probabilities;
    for (Index i = 0; i < said.rows(); ++i) {
        const double a = weights[0] * static_cast<double>(said.at(i, 0));
        const double b = weights[1] * static_cast<double>(said.at(i, 1));
        said.at(i, 0) = static_cast<float>(a / (a + b));
        said.at(i, 1) = static_cast<float>(b / (a + b));
    }
    const auto judged = [&](const DenseMatrix& p, const Decision& decision) {
        return compute_metrics(p, forecast.labels, forecast.nodes, {1}, {.decision = decision});
    };
    const double without = judged(forecast.probabilities, {}).ece;
    EXPECT_LT(without, 0.01);
    EXPECT_GT(judged(said, {}).ece, 0.05) << "as the network says them";
    const Metrics weighted_decisions = judged(said, {});
    calibrate(said, {weights, {}}, 1.0);
    const Metrics calibrated = judged(said, {weights, {}});
    EXPECT_LT(calibrated.ece, 0.01);
    EXPECT_NEAR(calibrated.nll, judged(forecast.probabilities, {}).nll, 1e-5);
    EXPECT_EQ(calibrated.confusion, weighted_decisions.confusion) << "the decisions are the weighted ones";
    EXPECT_GT(calibrated.classes[1].recall, judged(said, {}).classes[1].recall);
}

void expect_refused(const Decision& decision, Index classes, const std::string& message) {
    DenseMatrix p(1, classes);
    try {
        calibrate(p, decision, 1.0);
        ADD_FAILURE() << "expected: " << message;
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr(message));
    }
}

TEST(Calibrate, RefusesADecisionThatCannotBe) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    expect_refused({{1, 2}, {}}, 3, "class weights: expected 3, one per class, got 2");
    expect_refused({{1, 0}, {}}, 2, "expected positive numbers, got 0");
    expect_refused({{1, nan}, {}}, 2, "expected positive numbers, got nan");
    expect_refused({{}, Threshold{1, 0.5}}, 3, "decides between two classes, and there are 3");
    expect_refused({{}, Threshold{2, 0.5}}, 2, "for class 0 or 1, got 0.5 for 2");
    expect_refused({{}, Threshold{-1, 0.5}}, 2, "for class 0 or 1, got 0.5 for -1");
    expect_refused({{}, Threshold{1, nan}}, 2, "expected a number in 0..1");
    expect_refused({.offset = nan}, 2, "offset: expected a number in -10..10, got nan");
    expect_refused({.offset = 1}, 3, "there are 3");
    for (const double smoothing : {-0.1, 1.0, nan})
        expect_refused({.smoothing = smoothing}, 3, "smoothing: expected a number in 0..1");
}

// A ranking that calls each node about as likely as not, as an early epoch does.
TEST(CalibrationWithOffset, CalibratesWhatOnlyRanks) {
    const RareForecast forecast(5000);
    DenseMatrix said = forecast.probabilities;
    for (Index i = 0; i < said.rows(); ++i) {
        const double p = std::clamp(static_cast<double>(said.at(i, 1)), 1e-6, 1 - 1e-6);
        const double z = 0.4 * std::log(p / (1 - p)) + 1.2;
        said.at(i, 1) = static_cast<float>(1 / (1 + std::exp(-z)));
        said.at(i, 0) = 1 - said.at(i, 1);
    }
    const auto judged = [&] { return compute_metrics(said, forecast.labels, forecast.nodes); };
    const Metrics before = judged();
    const Calibration found = fit_calibration(said, forecast.labels, forecast.nodes, {}, true);
    EXPECT_NEAR(found.temperature, 0.4, 0.05);
    EXPECT_NEAR(found.offset, -3.0, 0.3);
    EXPECT_LT(found.smoothing, 0.02);
    calibrate(said, {.offset = found.offset, .smoothing = found.smoothing}, found.temperature);
    EXPECT_LT(judged().ece, 0.02);
    EXPECT_GT(before.ece, 0.1);
    EXPECT_NEAR(judged().roc_auc, before.roc_auc, 1e-3) << "the ranking stays";
}

TEST(CalibrationWithOffset, HasNoOffsetWhereAllNodesAreOfOneClass) {
    const RareForecast forecast(50);
    std::vector<Index> ones;
    for (const Index node : forecast.nodes) {
        if (forecast.labels[node] == 1) ones.push_back(node);
    }
    EXPECT_EQ(fit_calibration(forecast.probabilities, forecast.labels, ones, {}, true).offset, 0);
    const Calibration none = fit_calibration(forecast.probabilities, forecast.labels, {}, {}, true);
    EXPECT_EQ(none.offset, 0);
    EXPECT_EQ(none.temperature, 1);
}

TEST(ThresholdRule, ReadsItsThreeForms) {
    EXPECT_EQ(threshold_rule("").kind, Kind::none);
    EXPECT_EQ(threshold_rule("f1").kind, Kind::f1);
    EXPECT_EQ(threshold_rule("balanced").kind, Kind::balanced);
    EXPECT_EQ(threshold_rule("0.3").number, 0.3);
    for (const char* const text : {"", "f1", "balanced", "0.3"})
        EXPECT_EQ(threshold_rule(text).text(), text);
    for (const char* const text : {"0", "1", "1.5", "-0.2", "nan", "inf", "F1", "0.3 ", "half"})
        EXPECT_THROW(threshold_rule(text), InputError) << text;
}

// Whatever threshold is taken, F1 or balanced accuracy is not better.
TEST(FitThreshold, IsTheBestOfAll) {
    for (const int steps : {7, 50, 1000000}) {  // with many ties, with some, with hardly any
        const RareForecast forecast(400, steps);
        for (const Kind goal : {Kind::f1, Kind::balanced}) {
            for (const Index positive : {0, 1}) {
                const auto value = [&](double least) {
                    const Decision decision{{}, Threshold{positive, least}};
                    const Metrics metrics = compute_metrics(forecast.probabilities, forecast.labels,
                                                            forecast.nodes, {1}, {.decision = decision});
                    return goal == Kind::f1 ? metrics.classes[positive].f1 : metrics.balanced_accuracy;
                };
                const std::optional<double> fitted =
                    fit_threshold(forecast.probabilities, forecast.labels, forecast.nodes, positive, goal);
                ASSERT_TRUE(fitted);
                const double best = value(*fitted);
                for (double least = 0; least <= 1; least += 1.0 / 1024)
                    EXPECT_LE(value(least), best + 1e-12) << steps << " steps, " << least;
            }
        }
    }
}

TEST(FitThreshold, LiesBetweenTwoProbabilitiesAndNeedsBothClasses) {
    const DenseMatrix p = rows({{0.9F, 0.1F}, {0.7F, 0.3F}, {0.5F, 0.5F}, {0.4F, 0.6F}});
    const std::vector<Index> labels = {0, 0, 1, 1};
    const std::vector<Index> all = {0, 1, 2, 3};
    EXPECT_NEAR(*fit_threshold(p, labels, all, 1, Kind::f1), 0.4, 1e-7);
    EXPECT_NEAR(*fit_threshold(p, labels, all, 0, Kind::f1), 0.6, 1e-7);
    EXPECT_FALSE(fit_threshold(p, labels, std::vector<Index>{0, 1}, 1, Kind::f1));
    EXPECT_FALSE(fit_threshold(p, labels, std::vector<Index>{2, 3}, 1, Kind::balanced));
    EXPECT_FALSE(fit_threshold(p, labels, {}, 1, Kind::f1));
}

TEST(MetricsOfADecision, CountWhatIsDecidedAndRankByProbability) {
    const RareForecast forecast(2000);
    const auto judged = [&](const Decision& decision) {
        return compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes, {1},
                               {.decision = decision});
    };
    const Metrics plain = judged({});
    const Metrics eager = judged({{}, Threshold{1, 0.1}});
    EXPECT_GT(eager.classes[1].recall, plain.classes[1].recall);
    EXPECT_LT(eager.accuracy, plain.accuracy);
    EXPECT_EQ(eager.roc_auc, plain.roc_auc);
    EXPECT_EQ(eager.nll, plain.nll);
}

}  // namespace
}  // namespace hwgcn::decision_test
