// What a run folder gives back: every number in its place and its unit.
#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "operators/propagation.hpp"
#include "test_data.hpp"

namespace hwgcn::run_scores_test {
namespace {

class RunScoresTest : public ::testing::Test {
  protected:
    RunScoresTest() { settings.apply({{"epochs", "10"}}); }

    // Trains on the split, writes the run, and returns what its run.json says.
    RunManifest write_run(const RunResult& result = {}) {
        RunManifest manifest = make_manifest(graph, {}, split, 3);
        manifest.settings = settings;
        start_run(folder.path(), manifest, split, graph.dataset);
        const Propagation& propagation = operators.get(settings, {1});
        model = train(graph, propagation, settings, split, 3, {1});
        manifest.result = result;
        return finish_run(folder.path(), manifest, model,
                          predict_nodes(graph, propagation, settings, model.parameters, {1}), split,
                          graph.dataset);
    }

    PreparedGraph graph = prepare_graph(make_karate());
    OperatorPool operators{graph};
    MethodSettings settings{"gcn", "karate"};
    Split split = random_split(graph.dataset, {4, 8, 10, 2});
    TrainedModel model;
    testing::TemporaryDirectory folder;
};

TEST_F(RunScoresTest, TheHistoryComesBackAsItWasTrained) {
    const std::vector<EpochRecord> read = read_history(folder.path(), write_run());
    ASSERT_EQ(read.size(), 10U);
    for (std::size_t k = 0; k < read.size(); ++k) {
        const EpochRecord& trained = model.history[k];
        EXPECT_EQ(read[k].epoch, trained.epoch);
        EXPECT_EQ(read[k].rate, trained.rate);
        EXPECT_EQ(read[k].train_loss, trained.train_loss);
        EXPECT_EQ(read[k].validation_loss, trained.validation_loss);
        EXPECT_NEAR(read[k].validation_accuracy, trained.validation_accuracy, 1e-12)
            << "a share, not percent";
    }
    EXPECT_GT(read.back().validation_accuracy, 0.0);
}

TEST_F(RunScoresTest, AnotherCriterionOfSelectionComesBack) {
    settings.apply({{"selection", "auc"}});
    const std::vector<EpochRecord> read = read_history(folder.path(), write_run());
    ASSERT_EQ(read.size(), 10U);
    for (std::size_t k = 0; k < read.size(); ++k) {
        ASSERT_FALSE(std::isnan(model.history[k].validation_selection));
        EXPECT_NEAR(read[k].validation_selection, model.history[k].validation_selection, 1e-12);
    }
}

TEST_F(RunScoresTest, AHistoryWithoutValidationNodesComesBackWithoutTheirNumbers) {
    split.validation.clear();
    const std::vector<EpochRecord> read = read_history(folder.path(), write_run());
    ASSERT_EQ(read.size(), 10U);
    for (std::size_t k = 0; k < read.size(); ++k) {
        EXPECT_TRUE(std::isnan(read[k].validation_loss));
        EXPECT_EQ(read[k].train_loss, model.history[k].train_loss);
    }
}

void expect_same(const Metrics& read, const Metrics& written) {
    EXPECT_EQ(read.count, written.count);
    for (const MetricInfo& info : all_metrics())
        EXPECT_DOUBLE_EQ(read.*info.metric, written.*info.metric) << info.key;
}

TEST_F(RunScoresTest, EveryMetricComesBackInItsPlace) {
    double next = 0;
    const auto metrics = [&](Index count) {
        Metrics made;
        made.count = count;
        for (const MetricInfo& info : all_metrics())
            made.*info.metric = next += 0.03125;
        return made;
    };
    const RunResult written{.train = metrics(8),
                            .validation = metrics(7),
                            .test = metrics(6),
                            .raw_ece = 0.375,
                            .epochs = 10,
                            .best_epoch = 4,
                            .alternative_epoch = 6,
                            .alternative_accuracy = 0.625,
                            .baselines = {{"lp", metrics(7), metrics(6)}}};
    write_run(written);
    const RunResult read = *read_run(folder.path()).result;
    EXPECT_EQ(read.seed, 3U);
    EXPECT_EQ(read.epochs, 10);
    EXPECT_EQ(read.best_epoch, 4);
    EXPECT_EQ(read.alternative_epoch, 6);
    ASSERT_TRUE(read.alternative_accuracy.has_value());
    EXPECT_DOUBLE_EQ(*read.alternative_accuracy, 0.625);
    EXPECT_DOUBLE_EQ(read.raw_ece, 0.375);
    expect_same(read.train, written.train);
    expect_same(read.validation, written.validation);
    expect_same(read.test, written.test);
    ASSERT_EQ(read.baselines.size(), 1U);
    expect_same(read.baselines[0].validation, written.baselines[0].validation);
    expect_same(read.baselines[0].test, written.baselines[0].test);
}

TEST_F(RunScoresTest, WhatIsNotKnownComesBackAsNotKnown) {
    RunResult written;
    written.test.mcc = 0;
    write_run(written);
    const RunResult read = *read_run(folder.path()).result;
    EXPECT_FALSE(read.alternative_accuracy.has_value()) << "there are no epochs";
    EXPECT_TRUE(std::isnan(read.test.roc_auc));
    EXPECT_TRUE(std::isnan(read.test.average_precision));
    EXPECT_EQ(read.test.mcc, 0);
}

}  // namespace
}  // namespace hwgcn::run_scores_test
