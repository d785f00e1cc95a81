#include "hwgcn/metrics/calibration.hpp"

#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/support/error.hpp"

#include "support/random_stream.hpp"

namespace hwgcn::calibration_test {
namespace {

constexpr Index classes = 4;

// Predictions whose labels are drawn from softmax(z), but which say softmax(sharpness z).
struct Forecast {
    DenseMatrix probabilities;
    std::vector<Index> labels;
    std::vector<Index> nodes;

    Forecast(Index count, double sharpness, std::uint64_t seed = 1)
        : probabilities(count, classes), labels(count), nodes(count) {
        RandomStream random(seed, 0);
        std::iota(nodes.begin(), nodes.end(), Index{0});
        for (Index i = 0; i < count; ++i) {
            std::vector<double> truth(classes), said(classes);
            for (Index c = 0; c < classes; ++c) {
                const double z = 3.0 * random.uniform();
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
    EXPECT_THROW(fit_temperature(forecast.probabilities, forecast.labels, forecast.nodes, stopped),
                 Interrupted);
    EXPECT_THROW(apply_temperature(forecast.probabilities, 2.0, stopped), Interrupted);
    EXPECT_THROW(compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes, stopped),
                 Interrupted);
}

TEST(Calibration, FindsTheTemperatureThatSpoiledThePredictions) {
    for (const double sharpness : {0.5, 1.0, 3.0}) {
        const Forecast forecast(20000, sharpness);
        EXPECT_NEAR(fit_temperature(forecast.probabilities, forecast.labels, forecast.nodes), sharpness,
                    0.05 * sharpness);
    }
}

TEST(Calibration, MendsTheCalibrationErrorAndLeavesThePredictions) {
    Forecast forecast(20000, 4.0);
    const Metrics before = compute_metrics(forecast.probabilities, forecast.labels, forecast.nodes);
    apply_temperature(forecast.probabilities,
                      fit_temperature(forecast.probabilities, forecast.labels, forecast.nodes));
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

TEST(Calibration, AHandfulOfNodesMovesLittle) {
    DenseMatrix sure(3, 2);
    for (Index i = 0; i < 3; ++i) {
        sure.at(i, 0) = 0.9F;
        sure.at(i, 1) = 0.1F;
    }
    const std::vector<Index> nodes = {0, 1, 2};
    const double all_right = fit_temperature(sure, std::vector<Index>{0, 0, 0}, nodes);
    EXPECT_LT(all_right, 1.0);
    EXPECT_GT(all_right, 0.7);
    const double all_wrong = fit_temperature(sure, std::vector<Index>{1, 1, 1}, nodes);
    EXPECT_GT(all_wrong, 1.5);
    EXPECT_LT(all_wrong, 4.0);
}

TEST(Calibration, WithoutNodesNothingChanges) {
    Forecast forecast(50, 2.0);
    EXPECT_EQ(fit_temperature(forecast.probabilities, forecast.labels, {}), 1.0);
    const DenseMatrix before = forecast.probabilities;
    apply_temperature(forecast.probabilities, 1.0);
    EXPECT_TRUE(std::ranges::equal(before.numbers(), forecast.probabilities.numbers()));
}

TEST(Calibration, CertaintiesThatAreWrongAreSoftened) {
    DenseMatrix certain(2, 3);
    certain.at(0, 0) = certain.at(1, 0) = 1.0F;
    const std::vector<Index> nodes = {0, 1};
    const double temperature = fit_temperature(certain, std::vector<Index>{0, 2}, nodes);
    EXPECT_GT(temperature, 2.0);
    apply_temperature(certain, temperature);
    EXPECT_GT(certain.at(1, 2), 0.0F);
    EXPECT_TRUE(std::isfinite(certain.at(0, 1)));
}

}  // namespace
}  // namespace hwgcn::calibration_test
