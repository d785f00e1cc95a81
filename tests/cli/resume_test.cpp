#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::resume_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

nlohmann::json manifest_of(const User& user, const std::string& run) {
    return nlohmann::json::parse(content_of(user.work() / run / "run.json"));
}

std::string model_of(const User& user, const std::string& run) {
    return content_of(user.work() / run / "model.npz");
}

// Long enough for a signal to come in the middle.
std::vector<std::string> long_training(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "train",    "synthetic", "--synthetic", "nodes=1000,vocabulary=200,words=10",
        "--method", "gcn",       "--hidden",    "32",
        "--epochs", "3000",      "--threads",   "1",
        "--out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// `words`: the folder of the run, and more options.
Outcome interrupted_training(const User& user, const std::vector<std::string>& words, int signal) {
    const pid_t process = user.start(long_training(words));
    for (int attempt = 0; attempt < 60'000 && !fs::exists(user.work() / words[0] / "run.json"); ++attempt)
        ::usleep(1'000);
    ::usleep(100'000);
    ::kill(process, signal);
    return user.finish(process);
}

TEST(Resume, GivesTheModelOfAnUninterruptedTraining) {
    const User user;
    EXPECT_EQ(user.run(long_training({"whole"})).status, 0);
    const Outcome stopped = interrupted_training(user, {"run"}, SIGINT);
    EXPECT_EQ(stopped.status, 130) << stopped;
    EXPECT_EQ(stopped.out, "");
    EXPECT_THAT(stopped.err, HasSubstr("interrupted; the same command with --resume goes on from here\n"));
    ASSERT_TRUE(fs::exists(user.work() / "run/checkpoint.npz"));
    EXPECT_EQ(manifest_of(user, "run")["finished"], false);
    fs::copy(user.work() / "run", user.work() / "damaged");

    const Outcome careless = user.run(long_training({"run"}));
    EXPECT_EQ(careless.status, 2);
    EXPECT_THAT(careless.err,
                HasSubstr("holds an unfinished run; go on with --resume, or start anew with --force"));
    const Outcome other = user.run(long_training({"run", "--resume", "--rate", "0.5"}));
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("run: the run there was begun with another rate: 0.01, now 0.5"));
    EXPECT_THAT(user.run(long_training({"run", "--resume", "--seed", "8"})).err,
                HasSubstr("another seed: 0, now 8"));
    std::vector<std::string> other_data = long_training({"run", "--resume"});
    std::ranges::replace_if(
        other_data, [](const std::string& word) { return word.starts_with("nodes="); }, "nodes=1001");
    EXPECT_THAT(user.run(other_data).err, HasSubstr("begun with another dataset"));
    EXPECT_EQ(user.run({"predict", "run"}).status, 2);

    const nlohmann::json resumed = user.run_json(long_training({"run", "--resume"}));
    EXPECT_GT(resumed["resumed_after"], 0);
    EXPECT_EQ(resumed["epochs"], 3000);
    EXPECT_EQ(model_of(user, "run"), model_of(user, "whole"));
    EXPECT_EQ(content_of(user.work() / "run/history.csv"), content_of(user.work() / "whole/history.csv"));
    EXPECT_FALSE(fs::exists(user.work() / "run/checkpoint.npz"));

    fs::resize_file(user.work() / "damaged/checkpoint.npz", 1000);
    const Outcome anew = user.run(long_training({"damaged", "--resume"}));
    EXPECT_EQ(anew.status, 0) << anew;
    EXPECT_THAT(anew.err, HasSubstr("hwgcn: warning: "));
    EXPECT_THAT(anew.err, HasSubstr("checkpoint.npz"));
    EXPECT_THAT(anew.err, HasSubstr("; training started anew"));
    EXPECT_EQ(model_of(user, "damaged"), model_of(user, "whole"));
}

// Of a training with other settings, whose network has the same shape.
TEST(Resume, ACheckpointOfAnotherRunIsNotTaken) {
    const User user;
    EXPECT_EQ(interrupted_training(user, {"run"}, SIGINT).status, 130);
    EXPECT_EQ(interrupted_training(user, {"other", "--hidden-dropout", "0.1"}, SIGINT).status, 130);
    fs::rename(user.work() / "other/checkpoint.npz", user.work() / "run/checkpoint.npz");
    const Outcome resumed = user.run(long_training({"run", "--resume"}));
    EXPECT_EQ(resumed.status, 0) << resumed;
    EXPECT_THAT(resumed.err,
                HasSubstr("checkpoint.npz: is of another training, and was renamed; training started "
                          "anew"));
    EXPECT_EQ(user.run(long_training({"whole"})).status, 0);
    EXPECT_EQ(model_of(user, "run"), model_of(user, "whole"));
}

TEST(Resume, WithoutACheckpointStartsAnew) {
    const User user;
    const Outcome outcome =
        user.run({"train", "karate", "--method", "gcn", "--epochs", "5", "--out", "run", "--resume"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("run: no unfinished training to go on with, starting anew"));
}

}  // namespace
}  // namespace hwgcn::testing::resume_test
