#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
