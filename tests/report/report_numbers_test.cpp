// That each number of a report page is the one that its name says, and no other.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/metrics/statistics.hpp"

#include "metrics/calibration.hpp"
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

// Scores that differ in every place: none can stand for another.
void set_scores(RunManifest& manifest) {
    RunResult& scores = *manifest.result;
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

// What always saying the class that most training nodes have would get right of `nodes`.
double share_of_commonest(const Subject& subject, const std::vector<Index>& nodes, Index commonest) {
    const std::vector<Index>& labels = subject.graph.dataset.labels;
    const auto right = std::ranges::count_if(nodes, [&](Index node) { return labels[node] == commonest; });
    return 100.0 * static_cast<double>(right) / static_cast<double>(nodes.size());
}

TEST(ReportNumbers, TheCommonestClassIsThatOfTheTrainingNodesJudgedWhereTheMethodIs) {
    Subject subject;
    const std::vector<Index>& labels = subject.graph.dataset.labels;
    for (const Index commonest : {2, 1}) {
        // One training node more of this class, which need not be the commonest of the others.
        for (Index node = 0; node < 150; ++node) {
            const bool known = std::ranges::count(subject.split.train, node) +
                                   std::ranges::count(subject.split.validation, node) +
                                   std::ranges::count(subject.split.test, node) >
                               0;
            if (!known && labels[node] == commonest &&
                std::ssize(subject.split.train) < 16 + 2 * (2 - commonest))
                subject.split.train.push_back(node);
        }
        const Json tested = subject.run()["judgement"]["commonest"];
        EXPECT_EQ(tested["name"], subject.graph.dataset.class_names[commonest]);
        EXPECT_NEAR(tested["accuracy"], share_of_commonest(subject, subject.split.test, commonest), 1e-9);
    }
    subject.split.test.clear();
    EXPECT_NEAR(subject.run()["judgement"]["commonest"]["accuracy"],
                share_of_commonest(subject, subject.split.validation, 1), 1e-9);
}

TEST(ReportNumbers, OfEquallyCommonClassesTheOneThatDoesBestIsShown) {
    const Subject subject;  // five training nodes of each class
    double best = 0;
    for (const Index label : {0, 1, 2})
        best = std::max(best, share_of_commonest(subject, subject.split.test, label));
    EXPECT_GT(best, share_of_commonest(subject, subject.split.test, 0)) << "otherwise the first would do";
    EXPECT_NEAR(subject.run()["judgement"]["commonest"]["accuracy"], best, 1e-9);
}

TEST(ReportNumbers, NodesWithoutALabelComeLeastSureFirst) {
    Subject subject;
    EXPECT_EQ(subject.run()["unlabelled"]["nodes"], 0);
    EXPECT_TRUE(subject.run()["unlabelled"]["rows"].empty());
    std::vector<Index> hidden;
    for (Index node = 0; node < 150; ++node) {
        const bool known = std::ranges::count(subject.split.train, node) +
                               std::ranges::count(subject.split.validation, node) +
                               std::ranges::count(subject.split.test, node) >
                           0;
        if (!known) hidden.push_back(node);
    }
    for (const Index node : hidden)
        subject.graph.dataset.labels[node] = unlabelled;
    DenseMatrix calibrated = subject.probabilities;
    apply_temperature(calibrated, subject.manifest.temperature);
    const Json shown = subject.run()["unlabelled"];
    ASSERT_EQ(shown["nodes"], hidden.size());
    ASSERT_EQ(shown["rows"].size(), hidden.size());
    double before = 0;
    std::int64_t unsure = 0;
    for (const Json& row : shown["rows"]) {
        const Index node = std::stoi(row["id"].get<std::string>());
        EXPECT_EQ(subject.graph.dataset.labels[node], unlabelled);
        const Index best = argmax(calibrated, node);
        EXPECT_EQ(row["predicted"], best);
        EXPECT_NEAR(row["sure"], 100.0 * static_cast<double>(calibrated.at(node, best)), 1e-5);
        const Index second = row["second"];
        for (Index c = 0; c < 3; ++c)
            EXPECT_TRUE(c == best || calibrated.at(node, c) <= calibrated.at(node, second))
                << "node " << node;
        EXPECT_NE(second, best);
        EXPECT_NEAR(row["second_sure"], 100.0 * static_cast<double>(calibrated.at(node, second)), 1e-5);
        EXPECT_GE(row["sure"], before);
        before = row["sure"];
        if (before < 50) ++unsure;
    }
    EXPECT_EQ(shown["unsure"], unsure);
}

TEST(ReportNumbers, OfManyNodesWithoutALabelTheLeastSureAreShown) {
    SyntheticOptions options;
    options.nodes = 400;
    options.classes = 3;
    Subject subject("mlp", make_synthetic(options));
    for (Index node = 0; node < 400; ++node) {
        if (std::ranges::find(subject.split.train, node) == subject.split.train.end())
            subject.graph.dataset.labels[node] = unlabelled;
    }
    subject.split.test.clear();
    subject.split.validation.clear();
    const Json shown = subject.run()["unlabelled"];
    EXPECT_EQ(shown["nodes"], 385);
    ASSERT_EQ(shown["rows"].size(), 200U);
    std::vector<float> sure;
    DenseMatrix calibrated = subject.probabilities;
    apply_temperature(calibrated, subject.manifest.temperature);
    for (Index node = 0; node < 400; ++node) {
        if (subject.graph.dataset.labels[node] == unlabelled)
            sure.push_back(calibrated.at(node, argmax(calibrated, node)));
    }
    std::ranges::sort(sure);
    EXPECT_NEAR(shown["rows"][199]["sure"], 100.0 * static_cast<double>(sure[199]), 1e-4);
}

TEST(ReportNumbers, TheFeaturesSayWhatTheyWereMadeInto) {
    Subject subject;
    const Json plain = subject.run()["features"];
    EXPECT_EQ(plain["count"], 40);
    EXPECT_EQ(plain["text"], "");
    EXPECT_TRUE(plain["columns"].empty());
    subject.graph.dataset.columns = {
        {.name = "id", .role = ColumnRole::id},
        {.name = "age", .kind = ColumnKind::number, .filled = 3, .least = 1, .largest = 9}};
    ReportPage page;
    add_run(page,
            {subject.manifest,
             subject.graph,
             subject.split,
             subject.probabilities,
             subject.model.history,
             subject.weights,
             nullptr,
             {},
             "Each row was divided by its sum."},
            {1});
    const Json told = Json::parse(page.run)["features"];
    EXPECT_EQ(told["text"], "Each row was divided by its sum.");
    ASSERT_EQ(told["columns"].size(), 2U);
    EXPECT_EQ(told["columns"][1]["name"], "age");
    EXPECT_EQ(told["columns"][1]["use"], "numbers from 1 to 9");
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
