// Trainings that are interrupted and go on from their checkpoint.

#include <atomic>

#include <gtest/gtest.h>

#include "runs/run_files.hpp"
#include "runs/run_folder_fixture.hpp"

namespace hwgcn::resume_test {
namespace {

using testing::expect_input_error;
using testing::TemporaryDirectory;
namespace fs = std::filesystem;

// Asks to stop once the progress has come so far.
class StopAt final : public ProgressSink {
  public:
    explicit StopAt(std::int64_t units) : left_(units) {}
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override {
        left_ -= units;
        if (left_ <= 0) stop = true;
    }
    void finish() override {}

    std::atomic<bool> stop{false};

  private:
    std::int64_t left_;
};

TEST_F(RunFolderTest, AnInterruptedTrainingLeavesACheckpointAndGoesOnToTheSameModel) {
    const TrainedModel whole = train_with({});
    Checkpoints checkpoints{folder / "checkpoint.npz", false, 2, 0.0};
    StopAt sink(5);
    control = {1, &sink, &sink.stop};
    EXPECT_THROW(train_with(checkpoints), Interrupted);
    control = {};
    checkpoints.resume = true;
    const TrainedModel resumed = train_with(checkpoints);
    EXPECT_EQ(resumed.resumed_after, 5);
    EXPECT_EQ(resumed.best_epoch, whole.best_epoch);
    EXPECT_EQ(history_csv(resumed.history), history_csv(whole.history));
    EXPECT_EQ(predictions_csv(probabilities(resumed), split, graph.dataset),
              predictions_csv(probabilities(whole), split, graph.dataset));
    EXPECT_TRUE(resumed.notes.empty());
}

TEST_F(RunFolderTest, EveryCriterionOfSelectionGoesOnToTheSameModel) {
    for (const char* const selection : {"loss", "auc", "balanced", "macro-f1"}) {
        settings.apply({{"selection", selection}, {"patience", "8"}});
        const TrainedModel whole = train_with({});
        Checkpoints checkpoints{folder / "checkpoint.npz", false, 2, 0.0};
        StopAt sink(6);
        control = {1, &sink, &sink.stop};
        EXPECT_THROW(train_with(checkpoints), Interrupted);
        control = {1, nullptr, nullptr};
        checkpoints.resume = true;
        const TrainedModel resumed = train_with(checkpoints);
        EXPECT_EQ(resumed.resumed_after, 6) << selection;
        EXPECT_EQ(resumed.best_epoch, whole.best_epoch) << selection;
        EXPECT_EQ(resumed.alternative_epoch, whole.alternative_epoch) << selection;
        EXPECT_EQ(history_csv(resumed.history), history_csv(whole.history)) << selection;
        EXPECT_EQ(predictions_csv(probabilities(resumed), split, graph.dataset),
                  predictions_csv(probabilities(whole), split, graph.dataset))
            << selection;
        EXPECT_TRUE(resumed.notes.empty());
    }
}

TEST_F(RunFolderTest, ADamagedCheckpointIsReportedAndTrainingStartsAnew) {
    const TrainedModel whole = train_with({});
    const Checkpoints checkpoints{folder / "checkpoint.npz", true, 2, 0.0};
    testing::write_plainly(checkpoints.file, "PK and nothing else");
    const TrainedModel model = train_with(checkpoints);
    EXPECT_EQ(model.resumed_after, 0);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_NE(model.notes[0].find("checkpoint.npz: cannot be read"), std::string::npos) << model.notes[0];
    EXPECT_NE(model.notes[0].find("; training started anew"), std::string::npos) << model.notes[0];
    EXPECT_EQ(history_csv(model.history), history_csv(whole.history));
}

TEST_F(RunFolderTest, SelfTrainingContinuesInEitherOfItsTrainings) {
    settings.apply({{"self_training", "2"}, {"scheme", "consistency"}});
    const TrainedModel whole = train_with({});
    for (const int epoch : {4, 14}) {  // of the teacher, and of the student
        Checkpoints checkpoints{folder / "checkpoint.npz", false, 2, 0.0};
        StopAt sink(epoch);
        control = {1, &sink, &sink.stop};
        EXPECT_THROW(train_with(checkpoints), Interrupted);
        control = {};
        checkpoints.resume = true;
        const TrainedModel resumed = train_with(checkpoints);
        EXPECT_EQ(resumed.resumed_after, epoch % 10);
        EXPECT_EQ(history_csv(resumed.history), history_csv(whole.history));
        EXPECT_TRUE(resumed.notes.empty());
    }
}

TEST_F(RunFolderTest, ACheckpointOfAnotherSeedIsNotTaken) {
    Checkpoints checkpoints{folder / "checkpoint.npz", true, 2, 0.0};
    StopAt sink(5);
    control = {1, &sink, &sink.stop};
    EXPECT_THROW(train_with(checkpoints), Interrupted);
    control = {};
    seed = 4;
    const TrainedModel model = train_with(checkpoints);
    EXPECT_EQ(model.resumed_after, 0);
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_NE(model.notes[0].find("is of seed 3, expected 4"), std::string::npos) << model.notes[0];
}

// The networks have the same shape, the file is whole and of the same seed.
TEST_F(RunFolderTest, ACheckpointOfAnotherTrainingIsNotTaken) {
    const TrainedModel whole = train_with({});
    const MethodSettings as_begun = settings;
    Checkpoints checkpoints{folder / "checkpoint.npz", true, 2, 0.0};
    checkpoints.of = training_name(manifest);
    StopAt sink(5);
    control = {1, &sink, &sink.stop};
    settings.apply({{"hidden_dropout", "0.1"}});
    manifest.settings = settings;
    Checkpoints others = checkpoints;
    others.of = training_name(manifest);
    EXPECT_NE(others.of, checkpoints.of);
    EXPECT_THROW(train_with(others), Interrupted);
    control = {};
    settings = as_begun;
    const TrainedModel model = train_with(checkpoints);
    EXPECT_EQ(model.resumed_after, 0);
    EXPECT_EQ(history_csv(model.history), history_csv(whole.history));
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_NE(model.notes[0].find("is of another training, and was renamed; training started anew"),
              std::string::npos)
        << model.notes[0];
}

TEST_F(RunFolderTest, TheNameOfATrainingTellsWhatItDependsOn) {
    const std::string name = training_name(manifest);
    const auto differs = [&](const std::function<void(RunManifest&)>& change) {
        RunManifest changed = manifest;
        change(changed);
        return training_name(changed) != name;
    };
    EXPECT_TRUE(differs([](RunManifest& other) { other.settings.apply({{"rate", "0.3"}}); }));
    EXPECT_TRUE(differs([](RunManifest& other) { other.seed += 1; }));
    EXPECT_TRUE(differs([](RunManifest& other) { other.dataset_hash += "0"; }));
    EXPECT_TRUE(differs([](RunManifest& other) { other.split_hash += "0"; }));
    EXPECT_TRUE(differs([](RunManifest& other) { other.results += 1; }));
    EXPECT_TRUE(differs([](RunManifest& other) { other.decision.class_weights = {1, 2}; }));
    EXPECT_FALSE(differs([](RunManifest& other) { other.temperature = 2; }))
        << "of what comes after training";
}

}  // namespace
}  // namespace hwgcn::resume_test
