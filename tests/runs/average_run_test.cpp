// Runs that average several methods.
#include <algorithm>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/files/input_file.hpp"
#include "io/expect_input_error.hpp"
#include "metrics/calibration.hpp"
#include "operators/propagation.hpp"
#include "test_data.hpp"

namespace hwgcn::average_run_test {
namespace {

using testing::expect_input_error;

// Neighbors say about as much as features do.
PreparedGraph half_labelled(std::uint64_t seed) {
    SyntheticOptions options;
    options.nodes = 900;
    options.classes = 3;
    options.homophily = 0.5;
    options.vocabulary = 60;
    options.words = 8;
    options.seed = seed;
    return prepare_graph(make_synthetic(options));
}

/// A training whose choice is an average: on the first of some graphs on which one is taken.
class AverageRun : public ::testing::Test {
  protected:
    TrainedRun trained(const ClassWeights& class_weights = {}) {
        Automatic automatic;
        for (const char* method : {"gcn", "mlp", "linear", "sage"}) {
            MethodSettings settings(method, "synthetic");
            settings.apply(settings.read_among({{"epochs", "60"}, {"hidden", "16"}}));
            automatic.candidates.push_back(settings);
        }
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            graph = half_labelled(seed);
            graph.label_weights.of_classes = class_weights;
            split = random_split(graph.dataset, {150, 250, 150, 1});
            operators.clear();
            TrainedRun run = train_run({graph, operators, automatic, split, 3}, {1});
            if (!run.others.empty()) return run;
        }
        throw std::runtime_error("no average was taken");
    }

    const Propagation& operator_of(const MethodSettings& settings) { return operators.get(settings, {1}); }

    DenseMatrix predicted(std::span<const Member> members, const Decision& decision, double temperature) {
        DenseMatrix result = predict_members(
            graph, [&](const MethodSettings& one) -> const Propagation& { return operator_of(one); }, members,
            decision, {1});
        calibrate(result, decision, temperature);
        return result;
    }

    PreparedGraph graph = half_labelled(0);
    OperatorPool operators{graph};
    Split split = random_split(graph.dataset, {150, 250, 150, 1});
};

TEST_F(AverageRun, PredictsTheCalibratedMeanOfItsMembers) {
    for (const ClassWeights& weights : {ClassWeights{}, ClassWeights{false, {1.0, 3.0, 0.5}}}) {
        const TrainedRun run = trained(weights);
        ASSERT_FALSE(run.others.empty()) << run.choice->reason;
        EXPECT_EQ(run.decision.class_weights.empty(), !weights.any());
        std::vector<std::vector<double>> mean(900, std::vector<double>(3, 0.0));
        for (const Member& member : members_of(run)) {
            DenseMatrix said =
                predict_nodes(graph, operator_of(member.settings), member.settings, member.parameters, {1});
            divide_out_weights(said, run.decision.class_weights);
            apply_temperature(said, member.share.temperature);
            for (Index node = 0; node < 900; ++node) {
                for (Index c = 0; c < 3; ++c)
                    mean[node][c] += member.share.weight * said.at(node, c);
            }
        }
        DenseMatrix expected(900, 3);
        for (Index node = 0; node < 900; ++node) {
            for (Index c = 0; c < 3; ++c)
                expected.at(node, c) = static_cast<float>(mean[node][c]);
        }
        apply_calibration(expected, {run.temperature, run.decision.offset, run.decision.smoothing});
        for (Index node = 0; node < 900; ++node) {
            for (Index c = 0; c < 3; ++c)
                EXPECT_NEAR(run.probabilities.at(node, c), expected.at(node, c), 1e-5) << node;
        }
    }
}

TEST_F(AverageRun, IsMeasuredAndNamedAsOne) {
    const TrainedRun run = trained();
    int right = 0;
    for (const Index node : split.test)
        right += decide(run.probabilities, node, run.decision) == graph.dataset.labels[node] ? 1 : 0;
    EXPECT_DOUBLE_EQ(run.result.test.accuracy, right / 150.0);
    EXPECT_EQ(run.result.chosen, members_label(members_of(run)));
    EXPECT_THAT(run.result.chosen, ::testing::MatchesRegex("average of .* and .*"));
    EXPECT_EQ(run.result.alternative_epoch, 0) << "no other epoch of an average";
    EXPECT_THAT(run.model.summary, ::testing::StartsWith("Average of the probabilities of "));
}

TEST_F(AverageRun, ComesBackFromItsFolderBitByBit) {
    const TrainedRun run = trained();
    ASSERT_FALSE(run.others.empty());
    testing::TemporaryDirectory folder;
    RunManifest manifest = make_manifest(graph, {}, split, 3);
    add_result(manifest, run);
    start_run(folder.path(), manifest, split, graph.dataset);
    finish_run(folder.path(), manifest, run.model, run.probabilities, split, graph.dataset);

    const RunManifest read = read_run(folder.path());
    EXPECT_EQ(read.share, run.share);
    ASSERT_EQ(read.others.size(), run.others.size());
    EXPECT_EQ(run_label(read), run.result.chosen);
    ASSERT_TRUE(read.choice->average.has_value());
    EXPECT_NEAR(read.choice->average->gain, run.choice->average->gain, 1e-15);
    EXPECT_EQ(read.choice->average->calibrated_nll, run.choice->average->calibrated_nll);
    for (std::size_t k = 0; k < read.choice->tried.size(); ++k)
        EXPECT_EQ(read.choice->tried[k].share, run.choice->tried[k].share) << k;
    const std::vector<Member> members = read_members(folder.path(), read, graph);
    const DenseMatrix again = predicted(members, read.decision, read.temperature);
    EXPECT_TRUE(std::ranges::equal(again.numbers(), run.probabilities.numbers()));

    // Every member is checked, and none is left when another run takes the folder.
    testing::write_plainly(folder / "member-2.npz", "something else");
    expect_input_error([&] { read_members(folder.path(), read, graph); },
                       {"member-2.npz", "was changed after the run"});
    start_run(folder.path(), manifest, split, graph.dataset);
    EXPECT_FALSE(std::filesystem::exists(folder / "member-2.npz"));
}

TEST_F(AverageRun, ASingleMethodHasTheFilesItHad) {
    const MethodSettings settings("linear", "");
    const TrainedRun run = train_run({graph, operators, settings, split, 3}, {1});
    EXPECT_TRUE(run.others.empty());
    testing::TemporaryDirectory folder;
    RunManifest manifest = make_manifest(graph, {}, split, 3);
    add_result(manifest, run);
    start_run(folder.path(), manifest, split, graph.dataset);
    const RunManifest read =
        finish_run(folder.path(), manifest, run.model, run.probabilities, split, graph.dataset);
    std::vector<std::string> names;
    for (const auto& [name, checksum] : read.files)
        names.push_back(name);
    EXPECT_THAT(names, ::testing::ElementsAre("history.csv", "model.npz", "predictions.csv", "split.json"));
    const std::string text = read_file(folder / "run.json");
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("members")));
    EXPECT_EQ(read_members(folder.path(), read_run(folder.path()), graph).size(), 1U);
}

}  // namespace
}  // namespace hwgcn::average_run_test
