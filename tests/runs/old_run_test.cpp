// A run that version 0.1 wrote: its settings list everybody's parameters, and it names no version of results.

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "hwgcn/io/readers.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/files/input_file.hpp"
#include "metrics/calibration.hpp"
#include "runs/run_files.hpp"
#include "test_data.hpp"

namespace hwgcn::old_run_test {
namespace {

class RunOfAnOlderVersion : public ::testing::Test {
  protected:
    const std::filesystem::path folder = std::filesystem::path(HWGCN_SOURCE_DIR) / "tests/runs/run_of_0.1";
    const PreparedGraph graph = prepare_graph(load_dataset("karate", "", {}));
    const RunManifest manifest = read_run(folder);
};

TEST_F(RunOfAnOlderVersion, KeepsTheSettingsThatItsMethodReads) {
    MethodSettings expected("hwgcn", "karate");
    expected.apply({{"order", "3"}, {"epochs", "30"}, {"selection", "accuracy"}});
    EXPECT_EQ(manifest.settings.method(), "hwgcn");
    EXPECT_EQ(manifest.settings.effective(), expected.effective());
    EXPECT_EQ(manifest.results, 1);
    EXPECT_EQ(manifest.seed, 5U);
    EXPECT_EQ(manifest.result->epochs, 30);
}

TEST_F(RunOfAnOlderVersion, HasNoScoresThatItsVersionDidNotKnow) {
    EXPECT_GT(manifest.result->test.accuracy, 0.0);
    for (const double score : {manifest.result->test.roc_auc, manifest.result->test.average_precision,
                               manifest.result->test.balanced_accuracy, manifest.result->test.mcc})
        EXPECT_TRUE(std::isnan(score));
}

TEST_F(RunOfAnOlderVersion, PredictsWhatItPredicted) {
    EXPECT_EQ(dataset_hash(graph), manifest.dataset_hash);
    OperatorPool operators(graph);
    DenseMatrix probabilities = predict_nodes(graph, operators.get(manifest.settings, {1}), manifest.settings,
                                              read_model(folder, manifest, graph), {1});
    apply_temperature(probabilities, manifest.temperature);
    const Split split = read_run_split(folder, manifest, graph.dataset);
    EXPECT_EQ(predictions_csv(probabilities, split, graph.dataset),
              verified_content(folder, manifest, run_file::predictions));
}

}  // namespace
}  // namespace hwgcn::old_run_test
