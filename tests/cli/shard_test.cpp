#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::shard_test {
namespace {

using ::testing::HasSubstr;

TEST(ShardCommand, WeightsOfShardsInTheOrderOfTheDataHaveTheirBits) {
    const User user;
    ASSERT_EQ(user.run({"shard", "karate", "--order", "keep", "--block-size", "5", "--out", "shards"}).status,
              0);
    for (const std::string data : {"karate", "shards"})
        ASSERT_EQ(user.run({"weights", data, "--order", "3", "--no-cache", "--out", data + ".npz"}).status,
                  0);
    EXPECT_EQ(content_of(user.work() / "karate.npz"), content_of(user.work() / "shards.npz"));
}

// What docs/file-formats.md says of --order keep: which methods have the bits of the data, and which do not.
TEST(ShardCommand, MethodsThatDoNotTrainByBlocksHaveTheBitsOfTheDataInItsOrder) {
    const User user;
    ASSERT_EQ(user.run({"shard", "karate", "--order", "keep", "--out", "shards"}).status, 0);
    for (const std::string method :
         {"lp", "ica", "gat", "sage", "gcn-res", "deep-gcn", "hwgrand-sharp", "planetoid", "mlp", "gcn"}) {
        for (const std::string data : {"karate", "shards"}) {
            std::vector<std::string> words = {"train",         data,    "--method",    method,    "--split",
                                              "random:4:8:10", "--out", data + "-run", "--force", "--quiet"};
            if (method != "lp" && method != "ica") words.insert(words.end(), {"--epochs", "8"});
            ASSERT_EQ(user.run(words).status, 0) << method;
        }
        const auto same = [&](const std::string& file) {
            return content_of(user.path("karate-run/" + file)) == content_of(user.path("shards-run/" + file));
        };
        const bool by_blocks = method == "mlp" || method == "gcn";
        EXPECT_TRUE(same("split.json")) << method;
        EXPECT_EQ(same("model.npz"), !by_blocks) << method;
        EXPECT_EQ(same("predictions.csv"), !by_blocks) << method;
    }
}

TEST(ShardCommand, ShardsCanBeTrainedOnAndPredictionsHaveTheirIds) {
    const User user;
    const nlohmann::json told = user.run_json({"shard", "karate", "--out", "shards"});
    EXPECT_EQ(told.at("nodes"), 34);
    EXPECT_EQ(told.at("order"), "greedy");
    EXPECT_GE(told.at("share_within_blocks").get<double>(),
              told.at("share_within_blocks_before").get<double>());
    const Outcome trained = user.run(
        {"train", "shards", "--method", "hwgcn", "--order", "2", "--split", "random:4:8:10", "--out", "run"});
    EXPECT_EQ(trained.status, 0) << trained;
    const std::string predictions = content_of(user.work() / "run" / "predictions.csv");
    for (int id = 1; id <= 34; ++id)
        EXPECT_THAT(predictions, HasSubstr("\n" + std::to_string(id) + ","));
}

// Either METIS is there and finds blocks, or the message says how to get it; `info` knows which.
TEST(ShardCommand, OrdersOfMetisNeedMetis) {
    const User user;
    const Outcome made = user.run(
        {"shard", "karate", "--order", "metis", "--block-size", "9", "--out", "shards", "--json", "-"});
    const nlohmann::json info = user.run_json({"info"});
    if (info["libraries"]["metis"] == "not built in") {
        EXPECT_EQ(made.status, 2) << made;
        EXPECT_THAT(made.err, HasSubstr("--order metis: this program was built without METIS"));
        EXPECT_THAT(made.err, HasSubstr("libmetis-dev"));
        GTEST_SKIP() << "no METIS";
    }
    ASSERT_EQ(made.status, 0) << made;
    const nlohmann::json told = nlohmann::json::parse(made.out);
    EXPECT_EQ(told.at("order"), "metis");
    EXPECT_GT(told.at("share_within_blocks").get<double>(),
              told.at("share_within_blocks_before").get<double>());
    EXPECT_THAT(content_of(user.work() / "shards" / "shards.json"), HasSubstr("\"order\": \"metis\""));
    ASSERT_EQ(user.run({"shard", "karate", "--order", "metis", "--block-size", "9", "--out", "twice"}).status,
              0);
    EXPECT_EQ(content_of(user.work() / "shards" / "shards.json"),
              content_of(user.work() / "twice" / "shards.json"));
    EXPECT_EQ(user.run({"weights", "shards", "--order", "2", "--no-cache", "--out", "w.npz"}).status, 0);
}

TEST(ShardCommand, ReplacesShardsOnlyWhenAsked) {
    const User user;
    ASSERT_EQ(user.run({"shard", "karate", "--out", "shards"}).status, 0);
    const Outcome again = user.run({"shard", "karate", "--out", "shards"});
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("shards/shards.json is there already; --force replaces it"));
    EXPECT_EQ(user.run({"shard", "karate", "--order", "keep", "--out", "shards", "--force"}).status, 0);
    EXPECT_THAT(content_of(user.work() / "shards" / "shards.json"), HasSubstr("\"order\": \"keep\""));
    const Outcome onto_itself = user.run({"shard", "shards", "--out", "shards", "--force"});
    EXPECT_EQ(onto_itself.status, 2) << onto_itself;
}

// Neither a finished run, nor a part of other shards, nor a person's files become shards.
TEST(ShardCommand, WritesOnlyToNewOrEmptyFoldersAndShards) {
    const User user;
    ASSERT_EQ(user.run({"shard", "karate", "--out", "shards"}).status, 0);
    ASSERT_EQ(
        user.run({"train", "karate", "--method", "mlp", "--epochs", "2", "--split", "all", "--out", "run"})
            .status,
        0);
    const std::set<std::string> before = user.files();
    for (const std::string folder : {"run", "shards/part-0000"}) {
        for (const std::vector<std::string>& force : {std::vector<std::string>{}, {"--force"}}) {
            std::vector<std::string> words = {"shard", "karate", "--out", folder};
            words.insert(words.end(), force.begin(), force.end());
            const Outcome refused = user.run(words);
            EXPECT_EQ(refused.status, 2) << refused;
            EXPECT_THAT(refused.err, HasSubstr(folder + ": holds other files ("));
            EXPECT_THAT(refused.err,
                        HasSubstr("expected a new or an empty folder, or shards that --force replaces"));
        }
    }
    EXPECT_EQ(user.files(), before);
}

TEST(ShardCommand, AFolderInUseIsRefusedAndSaysByWhom) {
    const User user;
    std::filesystem::create_directory(user.path("shards"));
    const int other = ::open(user.path("shards/shards.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
    ASSERT_EQ(::write(other, "process 7 on elsewhere since today", 34), 34);
    const Outcome outcome = user.run({"shard", "karate", "--out", "shards"});
    EXPECT_EQ(outcome.status, 2) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("shards: is in use by process 7 on elsewhere since today"));
    ::close(other);
    EXPECT_EQ(user.run({"shard", "karate", "--out", "shards"}).status, 0)
        << "a lock without a holder is none";
    EXPECT_FALSE(std::filesystem::exists(user.path("shards/shards.lock")));
}

TEST(ShardCommand, AFailedOneLeavesNoFolder) {
    const User user;
    EXPECT_EQ(user.run({"shard", "nowhere.npz", "--out", "shards"}).status, 2);
    EXPECT_FALSE(std::filesystem::exists(user.path("shards")));
}

// Another unit of the weights would give other numbers in silence.
TEST(ShardCommand, AnEditedListIsRefusedByEveryCommand) {
    const User user;
    ASSERT_EQ(user.run({"shard", "karate", "--out", "shards"}).status, 0);
    std::string list = content_of(user.path("shards/shards.json"));
    const std::string unit = "\"weight_unit\": 1.0";
    ASSERT_NE(list.find(unit), std::string::npos);
    user.write("shards/shards.json", list.replace(list.find(unit), unit.size(), "\"weight_unit\": 2.0"));
    for (const std::string command : {"inspect", "weights", "train"}) {
        const Outcome refused = user.run({command, "shards"});
        EXPECT_EQ(refused.status, 2) << refused;
        EXPECT_THAT(refused.err, HasSubstr("shards.json: was changed or is damaged"));
    }
}

// Tables may come through pipes; files that are found by their names may not be any.
TEST(ShardCommand, PipesAreReadWhereTheyAreNamedAndRefusedElsewhere) {
    const User user;
    ASSERT_EQ(::mkfifo(user.path("edges.csv").c_str(), 0600), 0);
    const pid_t process = user.start({"shard", "--edges", "edges.csv", "--out", "shards"});
    user.write("edges.csv", "source,target\na,b\nb,c\nc,a\n");
    const Outcome piped = user.finish(process);
    EXPECT_EQ(piped.status, 0) << piped;
    std::filesystem::remove(user.path("shards/part-0000/labels.npy"));
    ASSERT_EQ(::mkfifo(user.path("shards/part-0000/labels.npy").c_str(), 0600), 0);
    const Outcome refused = user.run({"weights", "shards"});
    EXPECT_EQ(refused.status, 2) << refused;
    EXPECT_THAT(refused.err, HasSubstr("labels.npy: is not a regular file"));
}

TEST(ShardCommand, WrongUsageIsExplained) {
    const User user;
    EXPECT_THAT(user.run({"shard", "karate"}).err, HasSubstr("--out is missing: a folder for the shards"));
    EXPECT_THAT(user.run({"shard", "karate", "--order", "random", "--out", "s"}).err, HasSubstr("greedy"));
    EXPECT_THAT(user.run({"shard", "karate", "--block-size", "-1", "--out", "s"}).err,
                HasSubstr("--block-size"));
    EXPECT_TRUE(user.files().empty() || !user.files().contains("work/s"));
}

}  // namespace
}  // namespace hwgcn::testing::shard_test
