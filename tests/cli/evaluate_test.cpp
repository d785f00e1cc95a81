#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::evaluate_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> evaluate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {
        "evaluate", "synthetic", "--synthetic", "nodes=300,classes=3,vocabulary=60,words=6,topic_share=0.9",
        "--epochs", "40",        "--split",     "random:5:50:100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_order(std::move(arguments), "2");
}

TEST(Evaluate, TheJsonHasTheKeysOfTheContractInPercent) {
    const nlohmann::json json = User().run_json(evaluate({"--method", "gcn,hwgcn,mlp", "--runs", "3"}));
    EXPECT_EQ(json["dataset"], "synthetic");
    EXPECT_EQ(json["split"], "random:5:50:100");
    EXPECT_EQ(json["runs"], 3);
    EXPECT_GT(json["seconds"], 0.0);
    ASSERT_EQ(json["results"].size(), 3U);
    for (const nlohmann::json& result : json["results"]) {
        ASSERT_EQ(result["accuracies"].size(), 3U);
        double sum = 0;
        for (const double accuracy : result["accuracies"])
            sum += accuracy;
        EXPECT_NEAR(result["mean"], sum / 3, 1e-9);
        EXPECT_GT(result["mean"], 40.0);
        EXPECT_TRUE(result.contains("std") && result.contains("ci95"));
    }
    EXPECT_TRUE(json["results"][0]["paired"].is_null());
    const nlohmann::json& paired = json["results"][1]["paired"];
    EXPECT_EQ(paired["against"], "gcn");
    EXPECT_TRUE(paired.contains("mean_difference") && paired.contains("p_value"));
}

TEST(Evaluate, TheTableNamesEveryMethod) {
    const Outcome outcome = User().run(evaluate({"--method", "gcn,mlp", "--runs", "2"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.out, HasSubstr("against gcn"));
    EXPECT_THAT(outcome.out, HasSubstr("  mlp "));
    EXPECT_THAT(outcome.out, HasSubstr("over 2 runs"));
}

TEST(Evaluate, WhatSeveralMethodsSayIsSaidOnce) {
    const User user;
    std::string edges = "a,b\n", nodes = "id,label,x\n";
    for (int k = 0; k < 100; ++k) {
        edges += fmt::format("n{},n{}\n", k, (k * 7 + 1) % 100);
        nodes += fmt::format("n{},{},{}\n", k, k % 9 == 0 ? "rare" : "common", (k * 37) % 100 / 10.0);
    }
    user.write("edges.csv", edges);
    user.write("nodes.csv", nodes);
    const nlohmann::json result =
        user.run_json({"evaluate", "--edges", "edges.csv", "--nodes", "nodes.csv", "--method", "gcn,sage,mlp",
                       "--runs", "2", "--epochs", "3", "--split", "shares:40:20"});
    int selection = 0;
    for (const nlohmann::json& note : result["notes"])
        selection += note.get<std::string>().starts_with("selection by ROC AUC") ? 1 : 0;
    EXPECT_EQ(selection, 1) << result["notes"];
    const std::vector<std::string> notes = result["notes"];
    EXPECT_EQ(std::set(notes.begin(), notes.end()).size(), notes.size()) << result["notes"];
}

TEST(Evaluate, ThreadsDoNotChangeTheNumbers) {
    const User user;
    const nlohmann::json one = user.run_json(evaluate({"--runs", "3", "--threads", "1"}));
    const nlohmann::json three = user.run_json(evaluate({"--runs", "3", "--threads", "3"}));
    for (std::size_t m = 0; m < 2; ++m)
        EXPECT_EQ(one["results"][m]["accuracies"], three["results"][m]["accuracies"]);
}

TEST(Evaluate, TheSeedIsThatOfTheFirstRun) {
    const User user;
    const auto accuracies = [&](const std::vector<std::string>& more) {
        return user.run_json(evaluate(more))["results"][0]["accuracies"];
    };
    const nlohmann::json usual = accuracies({"--runs", "3"});
    EXPECT_EQ(accuracies({"--runs", "3", "--seed", "0"}), usual);
    const nlohmann::json later = accuracies({"--runs", "2", "--seed", "1"});
    ASSERT_EQ(later.size(), 2U);
    EXPECT_EQ(later[0], usual[1]);
    EXPECT_EQ(later[1], usual[2]);
    EXPECT_NE(later[0], usual[0]) << "otherwise this test could not tell them apart";
    EXPECT_EQ(user.run_json(evaluate({"--runs", "1", "--seed", "7"}))["first_seed"], 7);
    EXPECT_EQ(accuracies({"--runs", "1", "--first-seed", "7"}), accuracies({"--runs", "1", "--seed", "7"}));
}

TEST(Evaluate, TheTextNamesAnUnusualSeed) {
    const User user;
    EXPECT_THAT(user.run(evaluate({"--runs", "1", "--seed", "7"})).out, HasSubstr(", seeds from 7 on)"));
    EXPECT_THAT(user.run(evaluate({"--runs", "1"})).out, Not(HasSubstr("seed")));
    const Outcome refused = user.run(evaluate({"--seed", "-1"}));
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--seed: expected a whole number of at least 0"));
}

TEST(Evaluate, AJournalSparesRepetitionOfTheSameSeeds) {
    const User user;
    user.run_json(evaluate({"--runs", "3", "--journal", "runs.jsonl"}));
    const nlohmann::json later =
        user.run_json(evaluate({"--runs", "3", "--seed", "1", "--journal", "runs.jsonl"}));
    EXPECT_EQ(later["results"][0]["reused_runs"], 2);
}

TEST(Evaluate, AJournalSparesRepetition) {
    const User user;
    user.run_json(evaluate({"--runs", "2", "--journal", "runs.jsonl"}));
    const nlohmann::json more = user.run_json(evaluate({"--runs", "3", "--journal", "runs.jsonl"}));
    EXPECT_EQ(more["results"][0]["reused_runs"], 2);
    EXPECT_EQ(user.run_json(evaluate({"--runs", "3"}))["results"][1]["accuracies"],
              more["results"][1]["accuracies"]);
}

TEST(Evaluate, LpAndLinearStandBesideWhatWasAskedFor) {
    const User user;
    const nlohmann::json json = user.run_json(evaluate({"--runs", "2"}));
    ASSERT_EQ(json["results"].size(), 2U);
    ASSERT_EQ(json["baselines"].size(), 3U);
    EXPECT_EQ(json["baselines"][0]["method"], "lp");
    EXPECT_EQ(json["baselines"][1]["method"], "linear");
    EXPECT_EQ(json["baselines"][1]["paired"]["against"], "gcn");
    const nlohmann::json asked = user.run_json(evaluate({"--runs", "2", "--method", "gcn,linear"}));
    ASSERT_EQ(asked["baselines"].size(), 2U);
    EXPECT_EQ(asked["baselines"][0]["method"], "lp");
    EXPECT_EQ(asked["baselines"][1]["method"], "linear-neighbors");
    EXPECT_TRUE(user.run_json(evaluate({"--runs", "2", "--no-baselines"}))["baselines"].empty());
    const Outcome text = user.run(evaluate({"--runs", "2"}));
    EXPECT_THAT(text.out, HasSubstr("For comparison, lp: the graph without the features.")) << text;
}

TEST(Evaluate, BothRulesOfSelectionAreReported) {
    const User user;
    const nlohmann::json by_accuracy = user.run_json(evaluate({"--runs", "3"}));
    const nlohmann::json by_loss = user.run_json(evaluate({"--runs", "3", "--selection", "loss"}));
    for (const int method : {0, 1}) {
        const nlohmann::json& means = by_accuracy["results"][method]["mean_by_selection"];
        EXPECT_EQ(means["accuracy"], by_accuracy["results"][method]["mean"]);
        EXPECT_NEAR(means["loss"].get<double>(), by_loss["results"][method]["mean"].get<double>(), 1e-9);
    }
    EXPECT_FALSE(by_accuracy["baselines"][0].contains("mean_by_selection")) << "LP has no epochs";
}

TEST(Evaluate, OneRunHasNoIntervalAndNoTest) {
    const User user;
    const Outcome told = user.run({"evaluate", "karate", "--method", "gcn,mlp", "--epochs", "5", "--runs",
                                   "1", "--split", "random:4:8:12", "--no-baselines", "--quiet"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, Not(HasSubstr("..")));
    EXPECT_THAT(told.out, Not(HasSubstr("1.000")));
}

TEST(Evaluate, OnOnesOwnDataTheDefaultOfTrainTakesPart) {
    const User user;
    std::string edges = "from,to\n", nodes = "id,label,x,y\n";
    for (int k = 0; k < 40; ++k) {
        edges += std::to_string(k) + "," + std::to_string((k + 2) % 40) + "\n";
        nodes += std::to_string(k) + (k % 2 == 0 ? ",even,1,0\n" : ",odd,0,1\n");
    }
    user.write("e.csv", edges);
    user.write("n.csv", nodes);
    const nlohmann::json result =
        user.run_json({"evaluate", "--edges", "e.csv", "--nodes", "n.csv", "--runs", "2", "--epochs", "3"});
    std::vector<std::string> methods;
    for (const auto& method : result["results"])
        methods.push_back(method["method"]);
    EXPECT_EQ(methods, (std::vector<std::string>{"gcn", "hwgcn", "auto"}));
    EXPECT_EQ(result["dataset_sha256"].get<std::string>().size(), 64U);
}

TEST(Evaluate, WrongInputIsExplainedBeforeAnythingIsTrained) {
    const User user;
    const auto message = [&](const std::vector<std::string>& more) {
        const Outcome outcome = user.run(evaluate(more));
        EXPECT_EQ(outcome.status, 2) << outcome;
        return outcome.err;
    };
    EXPECT_THAT(message({"--method", "gcn,hwgnc"}), HasSubstr("did you mean 'hwgcn'"));
    EXPECT_THAT(message({"--method", ""}), HasSubstr("--method"));
    EXPECT_THAT(message({"--runs", "0"}), HasSubstr("--runs"));
    EXPECT_THAT(message({"--hidden", "many"}), HasSubstr("--hidden: expected a whole number"));
    EXPECT_THAT(message({"--lambda", "0.1"}),
                HasSubstr("--lambda: HWGCN reads it only with --weighting lasso"));
    EXPECT_THAT(message({"--method", "gcn,gcn"}), HasSubstr("given twice"));
    EXPECT_THAT(message({"--split", "random:5000"}), HasSubstr("5000"));
    EXPECT_THAT(message({"--hiden", "3"}), HasSubstr("--hidden"));
    EXPECT_THAT(message({"--no-cache", "--cache-dir", "here"}), HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace hwgcn::testing::evaluate_test
