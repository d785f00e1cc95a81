#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::explain_test {
namespace {

using ::testing::HasSubstr;

const User& user_with_run() {
    static const User user;
    static const bool trained = [] {
        user.run_json({"train", "karate", "--epochs", "40", "--order", "3", "--out", "run"});
        user.run_json({"train", "karate", "--method", "lp", "--out", "spread"});
        user.run_json({"train", "karate", "--method", "gat", "--epochs", "10", "--split", "random:4:8:12",
                       "--out", "attention"});
        user.run_json({"train", "karate", "--method", "gcn", "--epochs", "10", "--split", "random:4:0:0",
                       "--out", "all"});
        user.run_json(
            {"train", "karate", "--method", "boosted", "--split", "random:8:0:12", "--out", "trees"});
        return true;
    }();
    EXPECT_TRUE(trained);
    return user;
}

TEST(Explain, TheJsonHasTheKeysOfTheContractAndAddsUp) {
    const nlohmann::json result = user_with_run().run_json({"explain", "run", "--node", "9", "--top", "40"});
    for (const char* const key : {"node", "predicted", "probabilities", "neighbors"})
        EXPECT_TRUE(result.contains(key)) << key;
    EXPECT_EQ(result["node"], "9");
    double sum = result["offset"];
    for (const auto& neighbor : result["neighbors"]) {
        for (const char* const key : {"id", "order", "weight", "share", "label", "path"})
            EXPECT_TRUE(neighbor.contains(key)) << key;
        EXPECT_EQ(neighbor["path"].front(), "9");
        EXPECT_EQ(neighbor["path"].back(), neighbor["id"]);
        sum += neighbor["contribution"].get<double>();
    }
    EXPECT_EQ(result["neighbors"].size(), result["neighbors_in_all"]);
    EXPECT_NEAR(sum, result["margin"], 1e-9);
    EXPECT_EQ(result["kind"], "exact");
    EXPECT_EQ(result["rest"], 0.0);
    ASSERT_FALSE(result["features"].empty());
    EXPECT_EQ(result["features"].size(), result["features_in_all"]);
    for (const auto& feature : result["features"])
        EXPECT_TRUE(feature["name"].is_string() && feature["contribution"].is_number());
}

TEST(Explain, OtherNetworksAreExplainedByGradientsAndTellTheRest) {
    const User& user = user_with_run();
    const nlohmann::json result = user.run_json({"explain", "attention", "--node", "9", "--top", "40"});
    EXPECT_EQ(result["kind"], "gradient");
    double sum = result["rest"];
    for (const auto& neighbor : result["neighbors"]) {
        EXPECT_TRUE(neighbor["weight"].is_null());
        sum += neighbor["contribution"].get<double>();
    }
    EXPECT_NEAR(sum, result["margin"], 1e-9);
    const Outcome told = user.run({"explain", "attention", "--node", "9"});
    EXPECT_THAT(told.out, HasSubstr("to first order: the gradient of the margin"));
    EXPECT_THAT(told.out, HasSubstr("rest: bias, not linear"));
    EXPECT_THAT(told.out, HasSubstr("gradient times input"));
}

TEST(Explain, TreesAreExplainedByShapleyValuesThatAddUp) {
    const User& user = user_with_run();
    const nlohmann::json result = user.run_json({"explain", "trees", "--node", "9", "--top", "40"});
    EXPECT_EQ(result["kind"], "shapley");
    EXPECT_EQ(result["rest"], 0.0);
    double of_nodes = result["offset"], of_features = result["offset"];
    for (const auto& neighbor : result["neighbors"]) {
        EXPECT_TRUE(neighbor["weight"].is_null());
        of_nodes += neighbor["contribution"].get<double>();
    }
    for (const auto& feature : result["features"])
        of_features += feature["contribution"].get<double>();
    EXPECT_NEAR(of_nodes, result["margin"], 1e-9);
    EXPECT_NEAR(of_features, result["margin"], 1e-9);
    EXPECT_GT(result["neighbors_in_all"], 1);
    const Outcome told = user.run({"explain", "trees", "--node", "9"});
    EXPECT_THAT(told.out, HasSubstr("Shapley values of the columns that the\ntrees look at"));
    EXPECT_THAT(told.out, HasSubstr("over all nodes that have them: Shapley values."));
}

TEST(Explain, ImportancesAreTheSameEveryTime) {
    const User& user = user_with_run();
    const std::vector<std::string> command = {"explain", "attention", "--importances", "--top", "3"};
    const Outcome told = user.run(command);
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, HasSubstr("on 12 test nodes"));
    EXPECT_THAT(told.out, HasSubstr("5 permutations"));
    EXPECT_EQ(told.out, user.run(command).out);
    const nlohmann::json result = user.run_json(command);
    EXPECT_TRUE(result["explanations"].empty());
    const nlohmann::json& importances = result["feature_importances"];
    EXPECT_EQ(importances["nodes"], 12);
    EXPECT_EQ(importances["columns"].size(), 3U);
    EXPECT_EQ(importances["columns"][0]["drops"].size(), 5U);
    const nlohmann::json few = user.run_json(
        {"explain", "attention", "--node", "9", "--importances", "--repeats", "2", "--columns", "1"});
    EXPECT_EQ(few["explanations"].size(), 1U);
    EXPECT_EQ(few["feature_importances"]["columns"].size(), 1U);
    EXPECT_THAT(few["feature_importances"]["notes"][0].get<std::string>(), HasSubstr("--columns takes more"));
}

TEST(Explain, AgreesWithThePredictionsOfTheRun) {
    const User& user = user_with_run();
    const nlohmann::json result = user.run_json({"explain", "run", "--node", "20"});
    std::istringstream table(content_of(user.work() / "run/predictions.csv"));
    std::string line;
    while (std::getline(table, line) && !line.starts_with("20,")) {
    }
    EXPECT_THAT(line, HasSubstr("20," + result["predicted"].get<std::string>() + ","));
}

TEST(Explain, SeveralNodesAreToldOneAfterTheOther) {
    const Outcome told = user_with_run().run({"explain", "run", "--node", "9", "--node", "20", "--top", "2"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, HasSubstr("node 9: "));
    EXPECT_THAT(told.out, HasSubstr("node 20: "));
    EXPECT_THAT(told.out, HasSubstr("nodes with less (--top)"));
    EXPECT_EQ(told.out,
              user_with_run().run({"explain", "run", "--node", "9", "--node", "20", "--top", "2"}).out);
}

TEST(Explain, SaysWhatIsWrong) {
    const User& user = user_with_run();
    const auto message = [&](const std::vector<std::string>& arguments) {
        const Outcome outcome = user.run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome;
        return outcome.err;
    };
    EXPECT_THAT(message({"explain", "run"}),
                HasSubstr("no node was given: expected --node ID, or --importances"));
    EXPECT_THAT(message({"explain", "run", "--node", "99"}), HasSubstr("'99' is none of the 34 node ids"));
    EXPECT_THAT(message({"explain", "--node", "9"}), HasSubstr("no run was given"));
    EXPECT_THAT(message({"explain", "nowhere", "--node", "9"}), HasSubstr("no such folder"));
    EXPECT_THAT(message({"explain", "spread", "--node", "9"}),
                HasSubstr("LP has no explanation: it is no network"));
    EXPECT_THAT(message({"explain", "spread", "--importances"}), HasSubstr("LP does not look at features"));
    EXPECT_THAT(message({"explain", "all", "--importances"}),
                HasSubstr("All labels were trained on and none is left to judge features by; train with a "
                          "--split that keeps some back"));
    EXPECT_THAT(message({"explain", "attention", "--importances", "--repeats", "0"}), HasSubstr("--repeats"));
}

}  // namespace
}  // namespace hwgcn::testing::explain_test
