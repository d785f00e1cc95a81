// That each number of a report page is the one that its name says, and no other.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/metrics/calibration.hpp"
#include "hwgcn/metrics/statistics.hpp"

#include "report/report_subject.hpp"

namespace hwgcn::report_numbers_test {
namespace {

using testing::Json;
using testing::Subject;
using testing::unpacked;

Metrics with_accuracy(double accuracy, Index count) {
    Metrics metrics;
    metrics.accuracy = accuracy;
    metrics.count = count;
    return metrics;
}

// Scores that differ in every place, so that none can stand for another.
void set_scores(RunManifest& manifest) {
    RunScores& scores = *manifest.scores;
    scores.train = with_accuracy(0.99, 15);
    scores.validation = with_accuracy(0.81, 30);
    scores.test = with_accuracy(0.72, 60);
    scores.baselines = {{"lp", with_accuracy(0.51, 30), with_accuracy(0.42, 60)},
                        {"mlp", with_accuracy(0.63, 30), with_accuracy(0.54, 60)}};
}

void expect_accuracies(const Json& comparison, const std::vector<double>& expected, int nodes) {
    ASSERT_EQ(comparison.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_NEAR(comparison[k]["accuracy"], expected[k], 1e-9) << comparison[k]["label"];
        EXPECT_EQ(comparison[k]["nodes"], nodes);
    }
}

TEST(ReportNumbers, TheComparisonIsOnTestNodesAndOnlyWithoutThemOnValidationNodes) {
    Subject subject;
    set_scores(subject.manifest);
    const Json tested = subject.run()["judgement"];
    EXPECT_EQ(tested["on"], "test");
    expect_accuracies(tested["comparison"], {72, 42, 54}, 60);
    subject.split.test.clear();
    const Json validated = subject.run()["judgement"];
    EXPECT_EQ(validated["on"], "validation");
    expect_accuracies(validated["comparison"], {81, 51, 63}, 30);
}

TEST(ReportNumbers, EveryPartHasItsOwnAccuracy) {
    Subject subject;
    set_scores(subject.manifest);
    const Json parts = subject.run()["parts"];
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0]["part"], "train");
    EXPECT_NEAR(parts[0]["accuracy"], 99, 1e-9);
    EXPECT_EQ(parts[1]["part"], "validation");
    EXPECT_NEAR(parts[1]["accuracy"], 81, 1e-9);
    EXPECT_EQ(parts[2]["part"], "test");
    EXPECT_NEAR(parts[2]["accuracy"], 72, 1e-9);
    const auto [low, high] = share_interval(0.72, 60);
    EXPECT_NEAR(parts[2]["low"], 100.0 * low, 1e-9);
    EXPECT_NEAR(parts[2]["high"], 100.0 * high, 1e-9);
}

TEST(ReportNumbers, TheConfidenceInTheExplorerIsCalibrated) {
    const Subject subject;
    DenseMatrix calibrated = subject.probabilities;
    apply_temperature(calibrated, subject.manifest.temperature);
    const auto confidence = unpacked<std::uint16_t>(subject.run()["explorer"]["confidence"]);
    double largest_change = 0;
    for (Index node = 0; node < 150; ++node) {
        const Index best = argmax(calibrated, node);
        EXPECT_NEAR(confidence[node] / 65535.0, calibrated.at(node, best), 1e-4) << "node " << node;
        largest_change =
            std::max(largest_change, std::abs(static_cast<double>(calibrated.at(node, best)) -
                                              static_cast<double>(subject.probabilities.at(node, best))));
    }
    EXPECT_GT(largest_change, 0.02) << "otherwise this test could not tell them apart";
}

TEST(ReportNumbers, TheCurvesAreThoseOfTheHistory) {
    const Subject subject;
    const Json history = subject.run()["history"];
    ASSERT_EQ(history.size(), subject.model.history.size());
    for (std::size_t k = 0; k < history.size(); ++k) {
        const EpochRecord& record = subject.model.history[k];
        EXPECT_EQ(history[k][0], record.epoch);
        EXPECT_NEAR(history[k][1], record.train_loss, 1e-5);
        EXPECT_NEAR(history[k][2], record.validation_loss, 1e-5);
        EXPECT_NEAR(history[k][3], 100.0 * record.validation_accuracy, 1e-5);
        EXPECT_GT(std::abs(record.train_loss - record.validation_loss), 1e-4) << "told apart";
    }
}

// Mean confidence and accuracy of each bin that has nodes.
void expect_reliability(const Json& bins, const Metrics& metrics) {
    std::size_t place = 0;
    for (const ReliabilityBin& bin : metrics.reliability) {
        if (bin.count == 0) continue;
        ASSERT_LT(place, bins.size());
        EXPECT_EQ(bins[place]["count"], bin.count);
        EXPECT_NEAR(bins[place]["confidence"], 100.0 * bin.mean_confidence, 1e-9);
        EXPECT_NEAR(bins[place]["accuracy"], 100.0 * bin.accuracy, 1e-9);
        EXPECT_NEAR(bins[place]["lower"], bin.lower, 1e-12);
        ++place;
    }
    EXPECT_EQ(place, bins.size());
}

TEST(ReportNumbers, ReliabilityIsWithTheTemperatureAndRawWithoutIt) {
    const Subject subject;
    const std::vector<Index>& labels = subject.graph.dataset.labels;
    const Metrics raw = compute_metrics(subject.probabilities, labels, subject.split.test);
    DenseMatrix calibrated = subject.probabilities;
    apply_temperature(calibrated, subject.manifest.temperature);
    const Metrics judged = compute_metrics(calibrated, labels, subject.split.test);
    ASSERT_GT(std::abs(raw.ece - judged.ece), 1e-3) << "told apart";
    const Json judgement = subject.run()["judgement"];
    expect_reliability(judgement["raw_reliability"], raw);
    expect_reliability(judgement["reliability"], judged);
    EXPECT_NEAR(judgement["raw_ece"], 100.0 * raw.ece, 1e-9);
    EXPECT_NEAR(judgement["ece"], 100.0 * judged.ece, 1e-9);
}

TEST(ReportNumbers, WithoutTestNodesOnlyTheRawReliabilityIsShown) {
    Subject subject;
    subject.split.test.clear();
    const Json judgement = subject.run()["judgement"];
    expect_reliability(
        judgement["raw_reliability"],
        compute_metrics(subject.probabilities, subject.graph.dataset.labels, subject.split.validation));
    EXPECT_FALSE(judgement.contains("reliability")) << "the temperature was fitted on these very nodes";
}

TEST(ReportNumbers, TheCandidatesKeepTheirOrderAndTheChosenOne) {
    Subject subject;
    Choice choice;
    choice.chosen = 1;
    choice.tried = {{"GCN", "gcn", 1, with_accuracy(0.8, 30)},
                    {"HWGCN of order 3", "hwgcn", 3, with_accuracy(0.7, 30)}};
    subject.manifest.choice = choice;
    const Json shown = subject.run()["choice"];
    EXPECT_EQ(shown["chosen"], 1);
    expect_accuracies(shown["candidates"], {80, 70}, 30);
    EXPECT_EQ(shown["candidates"][1]["order"], 3);
}

}  // namespace
}  // namespace hwgcn::report_numbers_test
