// ROC and precision-recall curves of the page, and the score that results are shown by.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/metrics/decision.hpp"

#include "metrics/calibration.hpp"
#include "metrics/ranking.hpp"
#include "report/report_subject.hpp"

namespace hwgcn::ranking_section_test {
namespace {

using testing::Json;
using testing::Subject;

Dataset two_classes() {
    SyntheticOptions options;
    options.nodes = 150;
    options.classes = 2;
    options.vocabulary = 40;
    options.words = 6;
    options.topic_share = 0.3;
    return make_synthetic(options);
}

Metrics judged(const Subject& subject, const std::vector<Index>& nodes) {
    DenseMatrix calibrated = subject.probabilities;
    apply_temperature(calibrated, subject.manifest.temperature);
    return compute_metrics(calibrated, subject.graph.dataset.labels, nodes, ExecutionControl{1},
                           {.positive = positive_class(subject.graph.dataset, subject.split)});
}

TEST(ReportRanking, HasACurvePerClassWithItsAreasAndItsShare) {
    const Subject subject;
    const Metrics expected = judged(subject, subject.split.test);
    const Json ranking = subject.run()["judgement"]["ranking"];
    EXPECT_NEAR(ranking["roc_auc"], 100.0 * expected.roc_auc, 1e-9);
    EXPECT_NEAR(ranking["average_precision"], 100.0 * expected.average_precision, 1e-9);
    EXPECT_NEAR(ranking["balanced_accuracy"], 100.0 * expected.balanced_accuracy, 1e-9);
    EXPECT_NEAR(ranking["mcc"], 100.0 * expected.mcc, 1e-9);
    EXPECT_TRUE(ranking["positive"].is_null());
    EXPECT_EQ(ranking["shown"], false) << "five training nodes of each of three classes";
    ASSERT_EQ(ranking["curves"].size(), 3U);
    for (std::size_t c = 0; c < 3; ++c) {
        const Json& curve = ranking["curves"][c];
        EXPECT_EQ(curve["class"], c);
        EXPECT_NEAR(curve["roc_auc"], 100.0 * expected.curves[c].roc_auc, 1e-9);
        EXPECT_EQ(curve["nodes"], expected.classes[c].support);
        EXPECT_NEAR(curve["share"], 100.0 * expected.classes[c].support / 60, 1e-9);
        EXPECT_EQ(curve["roc"].front(), Json({0, 0}));
        EXPECT_EQ(curve["roc"].back(), Json({1, 1}));
        EXPECT_LE(curve["roc"].size(), most_curve_points);
        EXPECT_EQ(curve["precision_recall"].back()[0], 1);
    }
}

TEST(ReportRanking, OfTwoClassesShowsTheRarerOne) {
    Subject subject("gcn", two_classes());
    const std::vector<Index>& labels = subject.graph.dataset.labels;
    std::erase_if(subject.split.train, [&](Index node) { return labels[node] == 0 && node % 2 == 0; });
    std::erase_if(subject.split.validation, [&](Index node) { return labels[node] == 0; });
    const Json ranking = subject.run()["judgement"]["ranking"];
    EXPECT_EQ(ranking["positive"], subject.graph.dataset.class_names[0]);
    EXPECT_EQ(ranking["shown"], true);
    ASSERT_EQ(ranking["curves"].size(), 1U);
    EXPECT_EQ(ranking["curves"][0]["class"], 0);
    EXPECT_NEAR(ranking["roc_auc"], 100.0 * judged(subject, subject.split.test).roc_auc, 1e-9);
    subject.split.test.clear();
    EXPECT_TRUE(subject.run()["judgement"]["ranking"]["roc_auc"].is_null()) << "all of one class";
}

// The point of the predictions, counted node by node.
void expect_predictions_at(const Json& curve, const Subject& subject, const DenseMatrix& probabilities) {
    const Index label = curve["class"];
    const std::vector<Index>& labels = subject.graph.dataset.labels;
    double found = 0, of_class = 0, taken = 0;
    for (const Index node : subject.split.test) {
        const bool predicted = decide(probabilities, node, subject.manifest.decision) == label;
        of_class += labels[node] == label ? 1 : 0;
        taken += predicted ? 1 : 0;
        found += predicted && labels[node] == label ? 1 : 0;
    }
    const auto nodes = static_cast<double>(subject.split.test.size());
    ASSERT_TRUE(curve.contains("predictions"));
    EXPECT_NEAR(curve["predictions"]["found"], 100 * found / of_class, 1e-9);
    EXPECT_NEAR(curve["predictions"]["others_taken"], 100 * (taken - found) / (nodes - of_class), 1e-9);
    if (taken > 0) {
        EXPECT_NEAR(curve["predictions"]["right"], 100 * found / taken, 1e-9);
    } else {
        EXPECT_FALSE(curve["predictions"].contains("right"));
    }
}

TEST(ReportRanking, MarksWhereThePredictionsAre) {
    const Subject several;
    const Json run = several.run();
    for (const Json& curve : run["judgement"]["ranking"]["curves"])
        expect_predictions_at(curve, several, several.probabilities);
    Subject two("gcn", two_classes());
    two.manifest.temperature = 3;  // moves the probabilities: another threshold would be seen
    DenseMatrix calibrated = two.probabilities;
    apply_temperature(calibrated, two.manifest.temperature);
    std::vector<double> chances;
    for (const Index node : two.split.test)
        chances.push_back(static_cast<double>(calibrated.at(node, 1)));
    std::ranges::sort(chances);
    const std::size_t nodes = chances.size();
    for (const double least : {0.5, chances[nodes / 8], chances[nodes - nodes / 8], 0.9999}) {
        two.manifest.decision.threshold = Threshold{1, least};
        const Json judgement = two.run()["judgement"];
        for (const Json& curve : judgement["ranking"]["curves"])
            expect_predictions_at(curve, two, calibrated);
        EXPECT_NEAR(judgement["ranking"]["threshold"], 100 * least, 1e-9);
        EXPECT_EQ(judgement["ranking"]["threshold_class"], 1);
        Index taken = 0;
        for (const Index node : two.split.test)
            taken += decide(calibrated, node, two.manifest.decision);
        EXPECT_EQ(judgement["confusion"][0][1].get<Index>() + judgement["confusion"][1][1].get<Index>(),
                  taken)
            << "the matrix is that of the predictions, too";
    }
}

TEST(ReportRanking, OfHeldOutLabelsComesFromTheChoiceAndNothingOfOtherClassesIsDrawn) {
    Subject subject;
    subject.split.validation.clear();
    subject.split.test.clear();
    Choice choice;
    choice.tried.resize(1);
    choice.tried[0].method = "gcn";
    Metrics& held_out = choice.tried[0].held_out;
    held_out = compute_metrics(subject.probabilities, subject.graph.dataset.labels, subject.split.train);
    subject.manifest.choice = choice;
    const Json ranking = subject.run()["judgement"]["ranking"];
    EXPECT_EQ(ranking["curves"].size(), 3U);
    EXPECT_NEAR(ranking["roc_auc"], 100.0 * held_out.roc_auc, 1e-9);
    // What somebody wrote into run.json.
    held_out.curves[0].label = 3;
    held_out.curves[1].label = -1;
    held_out.curves[2].roc.clear();
    subject.manifest.choice = choice;
    EXPECT_TRUE(subject.run()["judgement"]["ranking"]["curves"].empty());
}

std::string evaluated(const std::string& metric, const std::string& auc_of_second) {
    const auto method = [](const std::string& name, const std::string& mean, const std::string& auc) {
        return R"({"method":")" + name + R"(","mean":)" + mean +
               R"(,"ci95":1,"accuracies":[70,72],"paired":null,
            "scores":{"roc_auc":{"mean":)" +
               auc + R"(,"std":1,"ci95":2,"runs":[80,82]}}})";
    };
    return R"({"dataset":"d","split":"s","runs":2,"metric":")" + metric + R"(","results":[)" +
           method("gcn", "71", "81") + "," + method("mlp", "72", auc_of_second) + "]}";
}

TEST(ReportResults, AreShownByTheScoreThatTheyWereComparedBy) {
    const auto shown = [](const std::string& text) {
        ReportPage page;
        add_result(page, "r.json", text);
        return Json::parse(page.results.at(0));
    };
    const Json by_auc = shown(evaluated("roc_auc", "83"));
    EXPECT_EQ(by_auc["metric"], "ROC AUC");
    EXPECT_EQ(by_auc["groups"][0]["rows"][1]["mean"], 83);
    EXPECT_EQ(by_auc["groups"][0]["rows"][1]["low"], 81);
    EXPECT_EQ(by_auc["groups"][0]["rows"][1]["runs"], Json({80, 82}));
    for (const std::string& text :
         {evaluated("accuracy", "83"), evaluated("roc_auc", "null"), evaluated("unheard-of", "83")}) {
        const Json by_accuracy = shown(text);
        EXPECT_EQ(by_accuracy["metric"], "accuracy");
        EXPECT_EQ(by_accuracy["groups"][0]["rows"][1]["mean"], 72);
        EXPECT_EQ(by_accuracy["groups"][0]["rows"][1]["runs"], Json({70, 72}));
    }
}

}  // namespace
}  // namespace hwgcn::ranking_section_test
