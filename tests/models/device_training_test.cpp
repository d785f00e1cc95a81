// Whole trainings on a device, and the same on the processor: the same masks of dropout and the same
// numbers but for rounding. Where there is no GPU, pocl's processor is the device.
#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/models/train.hpp"

#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "tensor/devices.hpp"
#include "tensor/on_device.hpp"
#include "test_data.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::device_training_test {
namespace {

using testing::expect_input_error;
using testing::same_bits;
using testing::TemporaryDirectory;

#define SKIP_WITHOUT_DEVICE() \
    if (devices().empty()) GTEST_SKIP() << "no OpenCL device"

Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 150;
    options.classes = 3;
    options.vocabulary = 40;
    options.words = 6;
    options.topic_share = 0.3;
    return make_synthetic(options);
}

MethodSettings settings_of(const std::string& method, const std::vector<Setting>& more = {}) {
    MethodSettings settings(method, "synthetic");
    settings.apply(settings.read_among({{"epochs", "12"}, {"order", "2"}, {"patience", "0"}}));
    settings.apply(more);
    return settings;
}

MethodSettings on_device(MethodSettings settings) {
    settings.apply({{"device", "gpu:0"}});
    return settings;
}

TrainedModel train_on(const Dataset& dataset, const MethodSettings& settings,
                      const Checkpoints& checkpoints = {}) {
    const PreparedGraph graph = prepare_graph(Dataset(dataset));
    OperatorPool operators(graph);
    const Split split = random_split(dataset, {5, 40, 60, 1});
    return train(graph, operators.get(settings, {1}), settings, split, 2, {1}, checkpoints);
}

std::vector<std::string> device_methods() {
    std::vector<std::string> names;
    for (const MethodInfo& info : method_table()) {
        if (info.trains_on_devices) names.push_back(info.name);
    }
    return names;
}

class DeviceMethod : public ::testing::TestWithParam<std::string> {};

// At their own rates networks with batch normalisation make much of the last bit (docs/gpu.md): their first
// epoch can be compared, and all epochs at a small rate.
std::string rate_to_compare(const std::string& method) {
    if (method == "hwgrand-norm") return "0.01";
    return method == "deep-gcn" || method == "wide-gcn" ? "0.0005" : "";
}

TEST_P(DeviceMethod, LosesAsOnTheProcessorEpochByEpoch) {
    SKIP_WITHOUT_DEVICE();
    const Dataset dataset = small_dataset();
    MethodSettings settings = settings_of(GetParam());
    if (const std::string rate = rate_to_compare(GetParam()); !rate.empty()) {
        settings.apply({{"epochs", "1"}});
        EXPECT_NEAR(train_on(dataset, settings).history.front().validation_loss,
                    train_on(dataset, on_device(settings)).history.front().validation_loss, 1e-4);
        settings.apply({{"epochs", "12"}, {"rate", rate}});
    }
    const TrainedModel here = train_on(dataset, settings);
    const TrainedModel there = train_on(dataset, on_device(settings));
    ASSERT_EQ(here.history.size(), there.history.size());
    for (std::size_t k = 0; k < here.history.size(); ++k) {
        const EpochRecord& a = here.history[k];
        const EpochRecord& b = there.history[k];
        EXPECT_NEAR(a.train_loss, b.train_loss, 2e-3 * (1 + std::abs(a.train_loss))) << "epoch " << k + 1;
        EXPECT_NEAR(a.validation_loss, b.validation_loss, 2e-3 * (1 + std::abs(a.validation_loss)))
            << "epoch " << k + 1;
    }
    EXPECT_NEAR(here.history.front().train_loss, there.history.front().train_loss, 1e-5);
    EXPECT_NE(there.summary.find("Trained on gpu:0"), std::string::npos) << there.summary;
}

TEST_P(DeviceMethod, GivesTheSameBitsAgain) {
    SKIP_WITHOUT_DEVICE();
    const Dataset dataset = small_dataset();
    const MethodSettings settings = on_device(settings_of(GetParam()));
    const TrainedModel once = train_on(dataset, settings);
    const TrainedModel again = train_on(dataset, settings);
    for (std::size_t k = 0; k < once.parameters.size(); ++k)
        EXPECT_TRUE(same_bits(once.parameters[k].value, again.parameters[k].value))
            << once.parameters[k].name;
}

INSTANTIATE_TEST_SUITE_P(All, DeviceMethod, ::testing::ValuesIn(device_methods()), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(DeviceTraining, OtherOptionsAreHonouredThereToo) {
    SKIP_WITHOUT_DEVICE();
    const Dataset dataset = small_dataset();
    for (const std::vector<Setting>& more :
         std::vector<std::vector<Setting>>{{{"selection", "balanced"}},
                                           {{"optimizer", "gradient-descent"}, {"rate", "0.1"}},
                                           {{"self_training", "4"}}}) {
        const TrainedModel here = train_on(dataset, settings_of("gcn", more));
        const TrainedModel there = train_on(dataset, on_device(settings_of("gcn", more)));
        ASSERT_EQ(here.history.size(), there.history.size()) << more.front().name;
        EXPECT_NEAR(here.history.back().train_loss, there.history.back().train_loss, 5e-3)
            << more.front().name;
        EXPECT_NEAR(here.history.back().validation_loss, there.history.back().validation_loss, 5e-3)
            << more.front().name;
    }
}

// Each thread has a queue of its own; they share the lists that are kept.
TEST(DeviceTraining, SeveralAtATimeAreWhatTheyAreAlone) {
    SKIP_WITHOUT_DEVICE();
    const Dataset dataset = small_dataset();
    const PreparedGraph graph = prepare_graph(Dataset(dataset));
    OperatorPool operators(graph);
    const MethodSettings settings = on_device(settings_of("hwgcn"));
    const Propagation& propagation = operators.get(settings, {1});
    const Split split = random_split(dataset, {5, 40, 60, 1});
    const auto trained = [&](std::uint64_t seed) {
        return train(graph, propagation, settings, split, seed, {1}).parameters.front().value;
    };
    std::vector<DenseMatrix> alone;
    for (std::uint64_t seed = 0; seed < 4; ++seed)
        alone.push_back(trained(seed));
    std::vector<DenseMatrix> together(alone.size());
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < alone.size(); ++seed)
        threads.emplace_back([&, seed] { together[seed] = trained(seed); });
    for (std::thread& thread : threads)
        thread.join();
    for (std::size_t k = 0; k < alone.size(); ++k)
        EXPECT_TRUE(same_bits(alone[k], together[k])) << "seed " << k;
}

// Wants a stop after so many epochs.
struct StopAfter : ProgressSink {
    explicit StopAfter(std::int64_t epochs) : left(epochs) {}
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t count) override {
        if ((left -= count) <= 0) flag = true;
    }
    void finish() override {}

    std::int64_t left;
    std::atomic<bool> flag = false;
};

// A stop in the middle leaves a checkpoint, which either of the two goes on from.
TEST(DeviceTraining, GoesOnFromACheckpointHereAndThere) {
    SKIP_WITHOUT_DEVICE();
    const Dataset dataset = small_dataset();
    const TemporaryDirectory folder;
    const MethodSettings settings = on_device(settings_of("gcn"));
    const TrainedModel whole = train_on(dataset, settings);
    const PreparedGraph graph = prepare_graph(Dataset(dataset));
    OperatorPool operators(graph);
    const Split split = random_split(dataset, {5, 40, 60, 1});
    Checkpoints checkpoints{.file = folder.path() / "checkpoint.npz"};
    StopAfter stop(5);
    EXPECT_THROW(
        train(graph, operators.get(settings, {1}), settings, split, 2, {1, &stop, &stop.flag}, checkpoints),
        Interrupted);
    ASSERT_TRUE(std::filesystem::exists(checkpoints.file));
    checkpoints.resume = true;
    const TrainedModel there = train_on(dataset, settings, checkpoints);
    EXPECT_EQ(there.resumed_after, 5);
    EXPECT_TRUE(same_bits(whole.parameters[0].value, there.parameters[0].value));
    const TrainedModel here = train_on(dataset, settings_of("gcn"), checkpoints);
    EXPECT_EQ(here.resumed_after, 5);
    EXPECT_NEAR(here.history.back().train_loss, whole.history.back().train_loss, 2e-3);
}

// The host sees one small report per epoch; a better epoch keeps its parameters by a flag that is written.
TEST(DeviceTraining, AnEpochIsReadBackOnce) {
    HWGCN_USE_DEVICE(device);
    const Dataset dataset = small_dataset();
    struct Counts {
        std::int64_t kernels, reads, writes;
    };
    const gpu::Traffic& all = device.traffic();
    const auto traffic_of = [&](const std::string& method, const std::string& epochs) -> Counts {
        const Counts before{all.kernels, all.reads, all.writes};
        train_on(dataset, on_device(settings_of(method, {{"epochs", epochs}})));
        return {all.kernels - before.kernels, all.reads - before.reads, all.writes - before.writes};
    };
    for (const char* const method : {"mlp", "gcn", "hwgpr", "appnp", "gat"}) {
        const Counts few = traffic_of(method, "5");
        const Counts many = traffic_of(method, "15");
        EXPECT_EQ(many.reads - few.reads, 10) << method;
        // GAT writes small constants, two for each layer and pass.
        EXPECT_LE(many.writes - few.writes, std::string(method) == "gat" ? 50 : 10) << method;
        RecordProperty(std::string("kernels per epoch of ") + method,
                       std::to_string((many.kernels - few.kernels) / 10));
    }
}

TEST(DeviceTraining, WhatCannotBeDoneThereIsRefusedByName) {
    SKIP_WITHOUT_DEVICE();
    const Dataset dataset = small_dataset();
    expect_input_error([&] { train_on(dataset, on_device(settings_of("semiemb"))); },
                       {"SemiEmb", "`device`"});
    MethodSettings nowhere = settings_of("gcn");
    nowhere.apply({{"device", "gpu:99"}});
    expect_input_error([&] { train_on(dataset, nowhere); }, {"gpu:99"});
}

}  // namespace
}  // namespace hwgcn::device_training_test
