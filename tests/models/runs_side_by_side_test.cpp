// Runs that a device trains side by side: each has the bits that it has alone, whichever others are with it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/evaluation/evaluate.hpp"

#include "models/side_by_side.hpp"
#include "pipeline/feasible.hpp"
#include "tensor/on_device.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::runs_side_by_side_test {
namespace {

using testing::same_bits;

Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 120;
    options.classes = 3;
    options.vocabulary = 30;
    options.words = 6;
    options.topic_share = 0.3;
    return make_synthetic(options);
}

MethodSettings settings_of(const std::string& method, const std::vector<Setting>& more = {}) {
    MethodSettings settings(method, "synthetic");
    settings.apply(settings.read_among({{"epochs", "9"}, {"order", "2"}, {"patience", "0"}}));
    settings.apply({{"device", "gpu:0"}});
    if (settings.reads("hidden") && settings.value("hidden").size() > 2) settings.apply({{"hidden", "32"}});
    settings.apply(more);
    return settings;
}

// A graph, and several splits of it with as many nodes each.
struct Problem {
    PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators{graph};
    std::vector<Split> splits;
    std::vector<std::size_t> batches = {};  // how many runs were finished at a time
    std::vector<std::string> notes = {};

    explicit Problem(bool same_nodes) {
        for (std::uint64_t seed = 0; seed < 3; ++seed)
            splits.push_back(random_split(graph.dataset, {5, 30, 60, same_nodes ? 0 : seed}));
    }

    std::vector<TrainedModel> train(const MethodSettings& settings, std::span<const std::size_t> which,
                                    bool same_nodes, const ExecutionControl& control = {1}) {
        std::vector<SeededSplit> runs;
        for (const std::size_t k : which)
            runs.push_back({&splits[k], 7 + k});
        std::vector<TrainedModel> models(runs.size());
        const auto finished = [&](std::vector<FinishedModel> found) {
            batches.push_back(found.size());
            for (FinishedModel& model : found) {
                notes.insert(notes.end(), model.model.notes.begin(), model.model.notes.end());
                models[model.run] = std::move(model.model);
            }
        };
        train_side_by_side(graph, operators.get(settings, {1}), settings, runs, same_nodes, finished,
                           control);
        return models;
    }
    std::vector<TrainedModel> train_all(const MethodSettings& settings, bool same_nodes) {
        return train(settings, std::vector<std::size_t>{0, 1, 2}, same_nodes);
    }
    TrainedModel train_alone(const MethodSettings& settings, std::size_t run, bool same_nodes) {
        return std::move(train(settings, {&run, 1}, same_nodes).front());
    }
};

void expect_same(const TrainedModel& a, const TrainedModel& b, const std::string& what) {
    ASSERT_EQ(a.parameters.size(), b.parameters.size()) << what;
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
        EXPECT_TRUE(same_bits(a.parameters[k].value, b.parameters[k].value))
            << what << ", " << a.parameters[k].name;
    }
    ASSERT_EQ(a.alternative_parameters.size(), b.alternative_parameters.size()) << what;
    for (std::size_t k = 0; k < a.alternative_parameters.size(); ++k) {
        EXPECT_TRUE(same_bits(a.alternative_parameters[k].value, b.alternative_parameters[k].value))
            << what << ", other " << a.parameters[k].name;
    }
    EXPECT_EQ(a.best_epoch, b.best_epoch) << what;
    EXPECT_EQ(a.alternative_epoch, b.alternative_epoch) << what;
    ASSERT_EQ(a.history.size(), b.history.size()) << what;
    for (std::size_t k = 0; k < a.history.size(); ++k) {
        EXPECT_EQ(a.history[k].train_loss, b.history[k].train_loss) << what << ", epoch " << k + 1;
        EXPECT_EQ(a.history[k].validation_loss, b.history[k].validation_loss) << what << ", epoch " << k + 1;
        EXPECT_EQ(a.history[k].validation_accuracy, b.history[k].validation_accuracy) << what;
    }
}

std::vector<std::string> methods_side_by_side() {
    const PreparedGraph graph = prepare_graph(small_dataset());
    std::vector<std::string> names;
    for (const MethodInfo& info : method_table()) {
        if (devices().empty() || !info.trains_on_devices) continue;
        if (trains_side_by_side(graph, settings_of(info.name))) names.push_back(info.name);
    }
    return names;
}

class SideBySideMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(SideBySideMethod, RunsOfDifferentSplitsAreWhatTheyAreAlone) {
    Problem problem(false);
    const MethodSettings settings = settings_of(GetParam());
    const std::vector<TrainedModel> together = problem.train_all(settings, false);
    EXPECT_EQ(problem.batches, std::vector<std::size_t>{3});
    for (std::size_t k = 0; k < together.size(); ++k)
        expect_same(together[k], problem.train_alone(settings, k, false), "run " + std::to_string(k));
    EXPECT_FALSE(same_bits(together[0].parameters[0].value, together[1].parameters[0].value));
}

TEST_P(SideBySideMethod, SeedsOfOneSplitAreThoseOfTrain) {
    Problem problem(true);
    const MethodSettings settings = settings_of(GetParam());
    const std::vector<TrainedModel> together = problem.train_all(settings, true);
    for (std::size_t k = 0; k < together.size(); ++k) {
        const TrainedModel alone = train(problem.graph, problem.operators.get(settings, {1}), settings,
                                         problem.splits[k], 7 + k, {1});
        expect_same(together[k], alone, "run " + std::to_string(k));
    }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SideBySideMethod);
INSTANTIATE_TEST_SUITE_P(All, SideBySideMethod, ::testing::ValuesIn(methods_side_by_side()),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(SideBySide, RunsThatStopEarlyKeepWhatTheyHave) {
    HWGCN_USE_DEVICE(device);
    static_cast<void>(device);
    Problem problem(false);
    const MethodSettings settings =
        settings_of("gcn", {{"epochs", "60"}, {"patience", "2"}, {"rate", "0.1"}, {"selection", "balanced"}});
    const std::vector<TrainedModel> together = problem.train_all(settings, false);
    std::set<std::size_t> lengths;
    for (std::size_t k = 0; k < together.size(); ++k) {
        expect_same(together[k], problem.train_alone(settings, k, false), "run " + std::to_string(k));
        lengths.insert(together[k].history.size());
        EXPECT_FALSE(std::isnan(together[k].history.back().validation_selection));
    }
    EXPECT_GT(lengths.size(), 1U);
    EXPECT_LT(*lengths.begin(), 60U);
}

TEST(SideBySide, EveryRunHasTheWeightsOfItsOwnLabels) {
    HWGCN_USE_DEVICE(device);
    static_cast<void>(device);
    Problem problem(false);
    for (Index node = 0; node < problem.graph.dataset.nodes; ++node)
        problem.graph.label_weights.of_nodes.push_back(static_cast<float>(1 + node % 5));
    const MethodSettings settings = settings_of("gcn");
    const std::vector<TrainedModel> together = problem.train_all(settings, false);
    for (std::size_t k = 0; k < together.size(); ++k)
        expect_same(together[k], problem.train_alone(settings, k, false), "run " + std::to_string(k));
    problem.graph.label_weights.of_nodes.clear();
    EXPECT_FALSE(same_bits(together[0].parameters[0].value,
                           problem.train_alone(settings, 0, false).parameters[0].value));
}

// Gives a device back what it has.
struct LimitedMemory {
    gpu::Device& device;
    std::size_t all = device.memory().limit();

    ~LimitedMemory() { device.memory().set_limit(all); }
};

TEST(SideBySide, AsManyRunsAtATimeAsFitIntoTheMemory) {
    HWGCN_USE_DEVICE(device);
    Problem problem(false);
    const MethodSettings settings = settings_of("gcn");
    device.memory().start_watch();
    problem.train_alone(settings, 0, false);
    const std::size_t with_one = device.memory().most();
    device.memory().start_watch();
    const std::vector<TrainedModel> together = problem.train_all(settings, false);
    const std::size_t each = (device.memory().most() - with_one) / 2;
    const LimitedMemory limited{device};
    device.memory().set_limit(with_one + each * 3 / 2);
    problem.batches.clear();
    const std::vector<TrainedModel> in_parts = problem.train_all(settings, false);
    EXPECT_EQ(problem.batches, (std::vector<std::size_t>{2, 1}));
    ASSERT_FALSE(problem.notes.empty());
    for (const std::string& note : problem.notes)  // of the last batch, too, which is smaller
        EXPECT_NE(note.find("at most 2 of 3 runs were trained at a time"), std::string::npos) << note;
    for (std::size_t k = 0; k < together.size(); ++k)
        expect_same(together[k], in_parts[k], "run " + std::to_string(k));
    device.memory().set_limit(with_one - each / 2);
    EXPECT_THROW(problem.train_all(settings, false), gpu::OutOfMemory);
}

// Sums over rows need scratch memory, which is part of what a run takes, and nothing of it stays.
TEST(SideBySide, NothingStaysInTheMemory) {
    HWGCN_USE_DEVICE(device);
    Problem problem(false);
    const MethodSettings wide = settings_of("mlp", {{"hidden", "256"}});
    device.release_scratch();  // of what this thread did before
    const std::size_t before = device.memory().used();
    device.memory().start_watch();
    problem.train_all(wide, false);
    EXPECT_EQ(device.memory().used(), before);
    const LimitedMemory limited{device};
    device.memory().set_limit(device.memory().most() * 3 / 4);  // two runs, not three
    problem.batches.clear();
    problem.train_all(wide, false);
    EXPECT_EQ(problem.batches, (std::vector<std::size_t>{2, 1}));
    problem.batches.clear();
    problem.train_all(settings_of("gcn", {{"epochs", "2"}}), false);
    EXPECT_EQ(problem.batches, std::vector<std::size_t>{3});
}

TEST(SideBySide, ARunThatDivergesIsToldByItsSeedAndTheNameOfItsMethod) {
    HWGCN_USE_DEVICE(device);
    static_cast<void>(device);
    Problem problem(false);
    try {
        problem.train_all(settings_of("gcn", {{"rate", "1e6"}, {"optimizer", "gradient-descent"}}), false);
        FAIL() << "did not diverge";
    } catch (const Diverged& failure) {
        EXPECT_NE(std::string(failure.what()).find("GCN: seed 7: training diverged at epoch"),
                  std::string::npos)
            << failure.what();
    }
    EXPECT_TRUE(problem.batches.empty());
}

// Counts what is told, and wants a stop from some moment on.
struct Watch : ProgressSink {
    explicit Watch(std::int64_t last) : left(last) {}
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override {
        told += units;
        if (told >= left) stop = true;
    }
    void finish() override {}

    std::int64_t left;
    std::int64_t told = 0;
    std::atomic<bool> stop = false;
};

TEST(SideBySide, AStopKeepsTheRunsThatAreFinished) {
    HWGCN_USE_DEVICE(device);
    static_cast<void>(device);
    Problem problem(false);
    const std::vector<std::size_t> all{0, 1, 2};
    const MethodSettings settings =
        settings_of("gcn", {{"epochs", "60"}, {"patience", "2"}, {"rate", "0.1"}});
    std::vector<std::int64_t> lengths;
    for (const TrainedModel& model : problem.train_all(settings, false))
        lengths.push_back(static_cast<std::int64_t>(model.history.size()));
    ASSERT_LT(std::ranges::min(lengths), std::ranges::max(lengths));
    problem.batches.clear();
    Watch watch(3 * std::ranges::min(lengths));
    EXPECT_THROW(problem.train(settings, all, false, {1, &watch, &watch.stop}), Interrupted);
    EXPECT_EQ(problem.batches, (std::vector<std::size_t>{static_cast<std::size_t>(
                                   std::ranges::count(lengths, std::ranges::min(lengths)))}));
    const std::atomic<bool> at_once = true;
    EXPECT_THROW(problem.train(settings, all, false, {1, nullptr, &at_once}), Interrupted);
}

TEST(SideBySide, ProgressEndsWithAllEpochsOfAllRuns) {
    HWGCN_USE_DEVICE(device);
    Problem problem(false);
    const std::vector<std::size_t> all{0, 1, 2};
    for (const bool is_limited : {false, true}) {
        Watch watch(1 << 20);
        device.memory().start_watch();
        problem.train_all(settings_of("gcn"), false);
        const LimitedMemory limited{device};
        if (is_limited) device.memory().set_limit(device.memory().most() * 3 / 4);
        problem.train(settings_of("gcn", {{"epochs", "50"}, {"patience", "2"}}), all, false, {1, &watch});
        EXPECT_EQ(watch.told, 3 * 50);
    }
}

TEST(SideBySide, IsNotForRunsThatDifferInMore) {
    HWGCN_USE_DEVICE(device);
    static_cast<void>(device);
    const PreparedGraph graph = prepare_graph(small_dataset());
    EXPECT_TRUE(trains_side_by_side(graph, settings_of("hwgcn")));
    EXPECT_FALSE(trains_side_by_side(graph, settings_of("hwgrand")));
    EXPECT_FALSE(trains_side_by_side(graph, settings_of("gcn", {{"self_training", "3"}})));
    EXPECT_FALSE(trains_side_by_side(graph, settings_of("gcn", {{"device", "cpu"}})));
    EXPECT_FALSE(trains_side_by_side(graph, MethodSettings("lp", "synthetic")));
}

TEST(SideBySide, AnEvaluationHasTheSameNumbersInOnePieceAndRunByRun) {
    HWGCN_USE_DEVICE(device);
    static_cast<void>(device);
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    const std::vector<AskedMethod> methods{settings_of("gcn"), MethodSettings("lp", "synthetic")};
    EvaluationOptions options;
    options.split = "random:5:30:60";
    options.runs = 3;
    const std::vector<MethodResult> whole = evaluate(graph, operators, methods, options, {2});
    // Alone, a run computes no more nodes than it needs: sums over nodes are cut otherwise.
    for (int run = 0; run < options.runs; ++run) {
        const Split split = make_split(graph.dataset, options.split, static_cast<std::uint64_t>(run));
        const RunResult alone =
            train_feasible({graph, operators, methods[0], split, static_cast<std::uint64_t>(run)}, {1})
                .result;
        EXPECT_NEAR(whole[0].runs[run].test.nll, alone.test.nll, 1e-4);
        EXPECT_EQ(whole[0].runs[run].epochs, alone.epochs);
        EXPECT_EQ(whole[0].runs[run].seed, static_cast<std::uint64_t>(run));
        EXPECT_GT(whole[0].runs[run].seconds, 0.0);
    }
    EXPECT_EQ(whole[1].runs.size(), 3U);
    options.runs = 1;
    EXPECT_EQ(evaluate(graph, operators, methods, options, {1})[0].runs[0].test.nll,
              whole[0].runs[0].test.nll);
}

}  // namespace
}  // namespace hwgcn::runs_side_by_side_test
