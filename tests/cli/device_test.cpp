// --device: what is refused, what is recorded, and that journals keep devices apart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_program.hpp"
#include "tensor/devices.hpp"

namespace hwgcn::testing::device_test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> quick = {"--split", "random:4:8:10", "--epochs", "5"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), quick.begin(), quick.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(DeviceOption, WhatIsNoDeviceIsRefused) {
    const User user;
    const Outcome name = user.run(with({"train", "karate", "--method", "gcn"}, {"--device", "cuda"}));
    EXPECT_EQ(name.status, 2);
    EXPECT_THAT(name.err, HasSubstr("--device: expected cpu, gpu, gpu:N or auto, got 'cuda'"));
    const Outcome number = user.run(with({"train", "karate", "--method", "gcn"}, {"--device", "gpu:77"}));
    EXPECT_EQ(number.status, 2);
    EXPECT_THAT(number.err, HasSubstr("--device gpu:77"));
    const Outcome lp = user.run({"train", "karate", "--method", "lp", "--device", "auto"});
    EXPECT_EQ(lp.status, 2);
    EXPECT_THAT(lp.err, HasSubstr("--device: LP does not have it"));
}

TEST(DeviceOption, AMachineWithoutDriversHasNone) {
    const User user;
    const std::vector<std::string> no_drivers = {"OCL_ICD_VENDORS=/nowhere"};
    const Outcome train =
        user.run(with({"train", "karate", "--method", "gcn"}, {"--device", "gpu"}), no_drivers);
    EXPECT_EQ(train.status, 2);
    EXPECT_THAT(train.err, HasSubstr("no device"));
    EXPECT_THAT(train.err, HasSubstr("--device cpu"));
    const Outcome automatic =
        user.run(with({"train", "karate", "--method", "gcn"}, {"--device", "auto"}), no_drivers);
    EXPECT_EQ(automatic.status, 0) << automatic;
    EXPECT_THAT(user.run({"info"}, no_drivers).out,
                HasSubstr(has_opencl() ? "none (OpenCL finds no device)" : "none (this program was built"));
}

TEST(DeviceOption, IsRecordedAndKeptApartByJournals) {
    if (devices().empty()) GTEST_SKIP() << "no OpenCL device";
    const User user;
    const auto evaluate = [&](const std::string& device) {
        return user.run_json(
            with({"evaluate", "karate", "--method", "gcn", "--runs", "2", "--journal", "runs.jsonl"},
                 {"--device", device}));
    };
    const nlohmann::json here = evaluate("cpu");
    const nlohmann::json there = evaluate("gpu:0");
    EXPECT_FALSE(here["results"][0]["settings"].contains("device"));
    EXPECT_EQ(there["results"][0]["settings"]["device"], "gpu:0");
    EXPECT_NEAR(here["results"][0]["mean"], there["results"][0]["mean"], 10.0);
    const std::string journal = content_of(user.work() / "runs.jsonl");
    EXPECT_EQ(evaluate("gpu:0")["results"][0]["mean"], there["results"][0]["mean"]);
    EXPECT_EQ(content_of(user.work() / "runs.jsonl"), journal) << "both runs were found";
    user.run_json(with({"train", "karate", "--method", "gcn", "--out", "run"}, {"--device", "gpu:0"}));
    const Outcome predict = user.run({"predict", "run", "--out", "predictions.csv"});
    EXPECT_EQ(predict.status, 0) << predict;
}

}  // namespace
}  // namespace hwgcn::testing::device_test
