#include "metrics/calibration.hpp"

#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/metrics.hpp"

#include "base/random_stream.hpp"

namespace hwgcn::calibration_test {
namespace {

constexpr Index classes = 4;

// Predictions whose labels are drawn from softmax(z), but which say softmax(sharpness z).
struct Forecast {
    DenseMatrix probabilities;
    std::vector<Index> labels;
    std::vector<Index> nodes;

    Forecast(Index count, double sharpness, std::uint64_t seed = 1, double spread = 3.0)
        : probabilities(count, classes), labels(count), nodes(count) {
        RandomStream random(seed, 0);
        std::iota(nodes.begin(), nodes.end(), Index{0});
        for (Index i = 0; i < count; ++i) {
            std::vector<double> truth(classes), said(classes);
            for (Index c = 0; c < classes; ++c) {
                const double z = spread * random.uniform();
                truth[c] = std::exp(z);
                said[c] = std::exp(sharpness * z);
            }
            double rest = random.uniform() * std::accumulate(truth.begin(), truth.end(), 0.0);
            labels[i] = 0;
            while (labels[i] + 1 < classes && (rest -= truth[labels[i]]) > 0)
                ++labels[i];
            const double sum = std::accumulate(said.begin(), said.end(), 0.0);
            for (Index c = 0; c < classes; ++c)
                probabilities.at(i, c) = static_cast<float>(said[c] / sum);
        }
    }
};

TEST(Calibration, AndJudgingEndWhenAsked) {
    const std::atomic<bool> stop{true};
    const ExecutionControl stopped{1, nullptr, &stop};
    Forecast forecast(50, 3.0);
    EXPECT_THROW(fit_calibration(forecast.probabilities, forecast.labels, forecast.nodes, stopped),
                 Interrupted);
    EXPECT_THROW(apply_temperature(forecast.probabilities, 2.0, stopped), Interrupted);
    EXPECT_THROW(compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes, stopped),
                 Interrupted);
}

TEST(Calibration, FindsTheTemperatureThatSpoiledThePredictions) {
    for (const double sharpness : {0.5, 1.0, 3.0}) {
        const Forecast forecast(20000, sharpness);
        const Calibration found = fit_calibration(forecast.probabilities, forecast.labels, forecast.nodes);
        EXPECT_NEAR(found.temperature, sharpness, 0.06 * sharpness);
        EXPECT_LT(found.smoothing, 0.03);
        EXPECT_EQ(found.offset, 0);
    }
}

TEST(Calibration, MendsTheCalibrationErrorAndLeavesThePredictions) {
    Forecast forecast(20000, 4.0);
    const Metrics before = compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes);
    apply_calibration(forecast.probabilities,
                      fit_calibration(forecast.probabilities, forecast.labels, forecast.nodes));
    const Metrics after = compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes);
    EXPECT_GT(before.ece, 0.2);
    EXPECT_LT(after.ece, 0.02);
    EXPECT_LT(after.nll, before.nll);
    EXPECT_EQ(after.accuracy, before.accuracy);
    EXPECT_EQ(after.confusion, before.confusion);
    for (Index i = 0; i < 100; ++i) {
        double sum = 0;
        for (Index c = 0; c < classes; ++c)
            sum += static_cast<double>(forecast.probabilities.at(i, c));
        EXPECT_NEAR(sum, 1.0, 1e-6);
    }
}

TEST(Calibration, NearTiesKeepTheirWinner) {
    DenseMatrix close(1, 2);
    for (const double temperature : {0.3, 1.2, 5.0}) {
        close.at(0, 0) = 0.49999997F;
        close.at(0, 1) = 0.5F;
        apply_temperature(close, temperature);
        EXPECT_EQ(argmax(close, 0), 1) << temperature;
    }
}

// A clear look and a wrong label: the labels of a share of the nodes are drawn anew.
void mislabel(Forecast& forecast, double share, std::uint64_t seed) {
    RandomStream random(seed, 0);
    for (Index& label : forecast.labels) {
        const bool wrong = random.uniform() < share;
        const auto other = static_cast<Index>(random.uniform() * classes);
        if (wrong) label = std::min(other, classes - 1);
    }
}

// Confidence less accuracy at the nodes that did not calibrate, the first `held_out` of them did.
double gap_elsewhere(Forecast& forecast, Index held_out) {
    const auto middle = forecast.nodes.begin() + held_out;
    const std::vector<Index> few(forecast.nodes.begin(), middle);
    const std::vector<Index> others(middle, forecast.nodes.end());
    apply_calibration(forecast.probabilities, fit_calibration(forecast.probabilities, forecast.labels, few));
    double confidence = 0;
    for (const Index node : others)
        confidence +=
            static_cast<double>(forecast.probabilities.at(node, argmax(forecast.probabilities, node)));
    return confidence / static_cast<double>(others.size()) -
           compute_metrics(forecast.probabilities, forecast.labels, others).accuracy;
}

// As networks are: too timid, and too sure. One temperature for both would be off by ten points.
TEST(Calibration, OfFewNodesIsRightOnAverage) {
    for (const auto& [sharpness, wrong] : {std::pair{0.3, 0.0}, {0.3, 0.3}, {1.0, 0.2}, {3.0, 0.0}}) {
        double sum = 0;
        constexpr int tries = 150;
        for (std::uint64_t seed = 0; seed < tries; ++seed) {
            Forecast forecast(1000, sharpness, seed + 1, 3.0);
            mislabel(forecast, wrong, seed + 1000);
            sum += gap_elsewhere(forecast, 40);
        }
        EXPECT_NEAR(sum / tries, 0.0, 0.03) << "sharpness " << sharpness << ", wrong labels " << wrong;
    }
}

TEST(Calibration, OfManyNodesIsNotInStepWithTheirOrder) {
    Forecast forecast(20'000, 1.0);
    for (Index i = 0; i < forecast.probabilities.rows(); i += 4)  // every fourth node tells nothing
        forecast.labels[i] = i / 4 % classes;
    EXPECT_NEAR(gap_elsewhere(forecast, 16'000), 0.0, 0.03);
}

// Smoothing and temperature make up for each other: of 5,000 nodes, one smoothing is uncertain by 0.04.
TEST(Calibration, SmoothingMakesUpForWrongLabels) {
    constexpr int forecasts = 12;
    double smoothing = 0, temperature = 0;
    for (std::uint64_t k = 0; k < forecasts; ++k) {
        Forecast forecast(5000, 1.0, 2 * k + 1, 4.0);
        mislabel(forecast, 0.4, 2 * k + 2);
        const Calibration found = fit_calibration(forecast.probabilities, forecast.labels, forecast.nodes);
        smoothing += found.smoothing / forecasts;
        temperature += found.temperature / forecasts;
        apply_calibration(forecast.probabilities, found);
        EXPECT_LT(compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes).ece, 0.03);
    }
    EXPECT_NEAR(smoothing, 0.4, 0.03);
    EXPECT_NEAR(temperature, 1.0, 0.06);
}

// By a search of its own over the loss as it is documented.
TEST(Calibration, NoNeighboringPointFitsBetter) {
    Forecast forecast(3000, 2.0, 9, 4.0);
    mislabel(forecast, 0.2, 10);
    const Calibration found = fit_calibration(forecast.probabilities, forecast.labels, forecast.nodes);
    const auto loss = [&](double temperature, double smoothing) {
        DenseMatrix p = forecast.probabilities;
        apply_calibration(p, {temperature, 0, smoothing});
        return compute_metrics(p, forecast.labels, forecast.nodes).nll;
    };
    const double best = loss(found.temperature, found.smoothing);
    for (const double factor : {0.8, 0.9, 1.0, 1.1, 1.25}) {
        for (const double more : {-0.05, -0.02, 0.0, 0.02, 0.05}) {
            // The prior and the charge for confidence are worth less than this in 3,000 nodes.
            EXPECT_GT(loss(found.temperature * factor, found.smoothing + more), best - 2e-4)
                << factor << " " << more;
        }
    }
}

TEST(Calibration, KeepsTheMostProbableClassAndTheBounds) {
    Forecast forecast(300, 1.0, 3, 4.0);
    const DenseMatrix before = forecast.probabilities;
    for (const double sharpness : {1e-3, 1.0, 1e3}) {
        for (Index i = 0; i < 300; ++i)
            forecast.labels[i] = sharpness < 1 ? argmax(before, i) : (argmax(before, i) + 1) % classes;
        DenseMatrix p = before;
        const Calibration found = fit_calibration(p, forecast.labels, forecast.nodes);
        EXPECT_GE(found.temperature, 0.0099);
        EXPECT_LE(found.temperature, 100.1);
        EXPECT_GE(found.smoothing, 0.0);
        EXPECT_LT(found.smoothing, 1.0);
        apply_calibration(p, found);
        for (Index i = 0; i < 300; ++i)
            EXPECT_EQ(argmax(p, i), argmax(before, i));
    }
}

TEST(Calibration, NeitherAFewRightAnswersNorAFewWrongOnesMakeItSure) {
    DenseMatrix sure(3, 2);
    for (Index i = 0; i < 3; ++i) {
        sure.at(i, 0) = 0.9F;
        sure.at(i, 1) = 0.1F;
    }
    const std::vector<Index> nodes = {0, 1, 2};
    const auto confidence_with = [&](const std::vector<Index>& labels) {
        DenseMatrix p = sure;
        apply_calibration(p, fit_calibration(p, labels, nodes));
        return static_cast<double>(p.at(0, 0));
    };
    EXPECT_GT(confidence_with({0, 0, 0}), 0.55);
    EXPECT_LT(confidence_with({0, 0, 0}), 0.95);
    EXPECT_LT(confidence_with({1, 1, 1}), 0.6);
    EXPECT_GE(confidence_with({1, 1, 1}), 0.5);
}

TEST(Calibration, WithoutNodesNothingChanges) {
    Forecast forecast(50, 2.0);
    const Calibration none = fit_calibration(forecast.probabilities, forecast.labels, {});
    EXPECT_EQ(none.temperature, 1.0);
    EXPECT_EQ(none.smoothing, 0.0);
    EXPECT_EQ(none.offset, 0.0);
    const DenseMatrix before = forecast.probabilities;
    apply_calibration(forecast.probabilities, none);
    EXPECT_TRUE(std::ranges::equal(before.numbers(), forecast.probabilities.numbers()));
}

TEST(Calibration, CertaintiesThatAreWrongAreSoftened) {
    DenseMatrix certain(2, 3);
    certain.at(0, 0) = certain.at(1, 0) = 1.0F;
    const std::vector<Index> nodes = {0, 1};
    apply_calibration(certain, fit_calibration(certain, std::vector<Index>{0, 2}, nodes));
    EXPECT_LT(certain.at(1, 0), 0.9F);
    EXPECT_GT(certain.at(1, 2), 0.0F);
    EXPECT_TRUE(std::isfinite(certain.at(0, 1)));
}

}  // namespace
}  // namespace hwgcn::calibration_test
