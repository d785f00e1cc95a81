// ROC AUC and its like wherever accuracy is.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::metrics_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> new_keys = {"roc_auc", "average_precision", "balanced_accuracy", "mcc"};

// 120 nodes on a ring, every sixth of them "yes"; a feature that tells them, and noise.
void write_rare(const User& user) {
    std::string edges = "from,to\n", nodes = "id,label,x,y\n";
    for (int k = 0; k < 120; ++k) {
        const bool yes = k % 6 == 0;
        edges += std::to_string(k) + "," + std::to_string((k + 1) % 120) + "\n";
        nodes += std::to_string(k) + (yes ? ",yes," : ",no,") + (yes || k % 7 == 0 ? "1" : "0") + "," +
                 std::to_string(k % 3) + "\n";
    }
    user.write("e.csv", edges);
    user.write("n.csv", nodes);
}

std::vector<std::string> rare(const std::string& command, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {command, "--edges", "e.csv", "--nodes", "n.csv", "--epochs", "30"};
    words.insert(words.end(), more.begin(), more.end());
    return with_defaults(words, {{"--split", "shares:40:20"}, {"--method", "mlp"}});
}

TEST(TrainMetrics, AreInTheJsonAndInTheRun) {
    const User user;
    write_rare(user);
    const nlohmann::json result = user.run_json(rare("train", {"--out", "run"}));
    const auto manifest = nlohmann::json::parse(content_of(user.work() / "run" / "run.json"));
    EXPECT_EQ(result["positive_class"], "yes");
    for (const std::string& key : new_keys) {
        EXPECT_EQ(result[key], manifest["result"]["test"][key]) << key;
        EXPECT_EQ(result["metrics"]["test"][key], result[key]) << key;
        EXPECT_TRUE(result["metrics"]["validation"][key].is_number()) << key;
        EXPECT_TRUE(result["baselines"]["lp"][key].is_number()) << key;
    }
    EXPECT_GT(result["roc_auc"], 80.0) << "a feature tells nearly all of them";
    EXPECT_LE(result["roc_auc"], 100.0);
    EXPECT_GT(result["average_precision"], 30.0);
}

TEST(TrainMetrics, AreInTheTextWhereThereAreTwoClasses) {
    const User user;
    write_rare(user);
    const Outcome two = user.run(rare("train"));
    EXPECT_EQ(two.status, 0) << two;
    EXPECT_THAT(two.out, HasSubstr("balanced accuracy %  ROC AUC %"));
    EXPECT_THAT(two.out, HasSubstr("'yes' among the 48 test nodes: ROC AUC "));
    EXPECT_THAT(two.out, HasSubstr("(chance: 16.7 %), MCC "));
    const Outcome more = user.run({"train", "synthetic", "--synthetic", "nodes=100,classes=3", "--method",
                                   "gcn", "--epochs", "3", "--split", "random:5:20:40"});
    EXPECT_THAT(more.out, Not(HasSubstr("ROC AUC"))) << more;
}

TEST(TrainMetrics, AreNullWithoutNodesToJudge) {
    const User user;
    write_rare(user);
    const nlohmann::json result = user.run_json(rare("train", {"--split", "all"}));
    for (const std::string& key : new_keys)
        EXPECT_TRUE(result[key].is_null()) << key;
    EXPECT_TRUE(result["metrics"]["test"].is_null());
    EXPECT_TRUE(result["metrics"]["train"]["roc_auc"].is_number());
}

TEST(EvaluateMetrics, EveryScoreHasItsMeanAndItsRuns) {
    const User user;
    write_rare(user);
    const nlohmann::json json = user.run_json(rare("evaluate", {"--runs", "3", "--metric", "balanced"}));
    EXPECT_EQ(json["metric"], "balanced_accuracy");
    const nlohmann::json& scores = json["results"][0]["scores"];
    ASSERT_EQ(scores.size(), 6U);
    for (const auto& [key, score] : scores.items()) {
        ASSERT_EQ(score["runs"].size(), 3U) << key;
        double sum = 0;
        for (const double value : score["runs"])
            sum += value;
        EXPECT_NEAR(score["mean"], sum / 3, 1e-9) << key;
    }
    EXPECT_EQ(scores["accuracy"]["mean"], json["results"][0]["mean"]);
    EXPECT_EQ(scores["accuracy"]["runs"], json["results"][0]["accuracies"]);
    for (const std::string& key : new_keys)
        EXPECT_EQ(json["results"][0][key], scores[key]["mean"]);
    const nlohmann::json& lp = json["baselines"][0];
    EXPECT_EQ(lp["paired"]["metric"], "balanced_accuracy");
    EXPECT_NEAR(lp["paired"]["mean_difference"].get<double>(),
                lp["balanced_accuracy"].get<double>() - json["results"][0]["balanced_accuracy"].get<double>(),
                1e-9);
}

TEST(EvaluateMetrics, TheDefaultForARareClassIsAucAndSaysSo) {
    const User user;
    write_rare(user);
    const Outcome told = user.run(rare("evaluate", {"--runs", "2"}));
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.err, HasSubstr("compared by ROC AUC, because one of the two classes is rare"));
    EXPECT_THAT(told.err, HasSubstr("--metric accuracy"));
    EXPECT_THAT(told.out, HasSubstr("Test ROC AUC, accuracy and macro-F1 in percent"));
    const Outcome asked = user.run(rare("evaluate", {"--runs", "2", "--metric", "accuracy"}));
    EXPECT_THAT(asked.out, HasSubstr("Test accuracy, macro-F1 and ROC AUC in percent"));
    EXPECT_THAT(asked.err, Not(HasSubstr("compared by")));
}

TEST(EvaluateMetrics, AnUnknownOneIsRefused) {
    const Outcome refused = User().run({"evaluate", "karate", "--metric", "roc"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--metric: expected accuracy, macro-f1, auc, average-precision, "
                                       "balanced or mcc, got 'roc'"));
}

TEST(EvaluateMetrics, TestNodesOfOneClassGiveNullAndAWord) {
    const User user;
    write_rare(user);
    std::string train, test;
    for (int k = 0; k < 120; ++k)
        (k < 60 ? train : test) += k < 60 || k % 6 != 0 ? "\"" + std::to_string(k) + "\"," : "";
    train.pop_back();
    test.pop_back();
    user.write("s.json", R"({"train":[)" + train + R"(],"validation":[],"test":[)" + test + "]}");
    const std::vector<std::string> words =
        rare("evaluate", {"--runs", "2", "--split", "s.json", "--metric", "auc"});
    const nlohmann::json json = user.run_json(words);
    EXPECT_TRUE(json["results"][0]["roc_auc"].is_null());
    EXPECT_TRUE(json["results"][0]["scores"]["roc_auc"]["runs"][0].is_null());
    EXPECT_TRUE(json["baselines"][0]["paired"].is_null());
    EXPECT_TRUE(json["results"][0]["mcc"].is_number());
    const Outcome told = user.run(words);
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.err, HasSubstr("ROC AUC is not defined in 2 of 2 runs"));
}

}  // namespace
}  // namespace hwgcn::testing::metrics_test
