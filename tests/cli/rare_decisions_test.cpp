// Weights of classes and thresholds from the command line to the files of a run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"
#include "pipeline/rare_nodes.hpp"

namespace hwgcn::testing::rare_decisions_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The customers of rare_nodes.hpp as files.
void write_customers(const User& user, Index nodes, Index rare) {
    const Dataset dataset = make_rare_nodes(nodes, rare);
    std::string edges = "from,to\n", table = "id,cheat";
    for (const Edge& edge : dataset.edges)
        edges += fmt::format("{},{}\n", edge.from, edge.to);
    for (Index f = 0; f < dataset.features.columns; ++f)
        table += fmt::format(",f{}", f);
    table += "\n";
    for (Index i = 0; i < nodes; ++i) {
        std::vector<int> row(static_cast<std::size_t>(dataset.features.columns), 0);
        for (const Index f : dataset.features.row(i).indices)
            row[f] = 1;
        table += fmt::format("{},{}", i, dataset.class_names[dataset.labels[i]]);
        for (const int value : row)
            table += fmt::format(",{}", value);
        table += "\n";
    }
    user.write("links.csv", edges);
    user.write("customers.csv", table);
}

std::vector<std::string> on_customers(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), {"--edges", "links.csv", "--nodes", "customers.csv", "--label", "cheat",
                               "--epochs", "40", "--split", "shares:50:25", "--no-baselines"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

std::vector<std::string> train(const std::vector<std::string>& more) {
    return on_customers({"train", "--method", "mlp"}, more);
}

double recall(const nlohmann::json& result) {
    return result["classes"][1]["recall"].get<double>();
}

TEST(RareClasses, WeightsAndThresholdsFindMoreOfThemAndAreKeptInTheRun) {
    const User user;
    write_customers(user, 600, 60);
    const nlohmann::json plain = user.run_json(train({}));
    EXPECT_EQ(plain["class_weights"], nullptr);
    EXPECT_EQ(plain["threshold"], nullptr);
    EXPECT_EQ(plain["settings"]["selection"], "auc");
    EXPECT_TRUE(plain["by_selection"].contains("auc") && plain["by_selection"].contains("loss"));
    const nlohmann::json weighted =
        user.run_json(train({"--class-weights", "balanced", "--out", "weighted"}));
    EXPECT_GT(recall(weighted), recall(plain));
    EXPECT_NEAR(weighted["class_weights"]["yes"].get<double>(), 5, 1e-9);
    const nlohmann::json fitted = user.run_json(train({"--threshold", "f1", "--out", "fitted"}));
    EXPECT_GT(recall(fitted), recall(plain));
    EXPECT_EQ(fitted["threshold"]["rule"], "f1");
    EXPECT_EQ(fitted["threshold"]["class"], "yes");
    for (const char* const run : {"weighted", "fitted"}) {
        const Outcome predicted = user.run({"predict", run});
        EXPECT_EQ(predicted.status, 0) << predicted;
        EXPECT_EQ(predicted.out, content_of(user.work() / run / "predictions.csv")) << run;
        EXPECT_EQ(user.run({"report", run, "--out", "page.html"}).status, 0);
    }
}

TEST(RareClasses, ExplanationsAreOfTheClassThatIsDecidedFor) {
    const User user;
    write_customers(user, 600, 60);
    ASSERT_EQ(user.run(train({"--threshold", "0.01", "--out", "run"})).status, 0);
    const nlohmann::json told = user.run_json({"explain", "run", "--node", "3"});
    const bool positive = told["probabilities"]["yes"].get<double>() >= 0.01;
    EXPECT_EQ(told["predicted"], positive ? "yes" : "no");
    EXPECT_EQ(told["runner_up"], positive ? "no" : "yes");
}

TEST(RareClasses, TheResultSaysWhatTheCommonestClassWouldHave) {
    const User user;
    write_customers(user, 1000, 10);
    const Outcome outcome = user.run(train({}));
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.err, HasSubstr("selection by ROC AUC, because only "));
    EXPECT_THAT(outcome.err, HasSubstr("--selection accuracy decides otherwise"));
    EXPECT_THAT(outcome.err, HasSubstr("always answering 'no' gives 9"));
    EXPECT_THAT(outcome.err, HasSubstr("--class-weights balanced or --threshold f1 may help"));
}

TEST(RareClasses, AnInterruptedRunGoesOnOnlyWithTheSameDecision) {
    const User user;
    write_customers(user, 300, 30);
    ASSERT_EQ(user.run(train({"--class-weights", "balanced", "--threshold", "f1", "--out", "run"})).status,
              0);
    const std::string text = content_of(user.work() / "run" / "run.json");
    EXPECT_THAT(text, HasSubstr("\"threshold_rule\": \"f1\""));
    EXPECT_THAT(text, HasSubstr("\"class_weights\""));
    const nlohmann::json again =
        user.run_json(train({"--class-weights", "balanced", "--threshold", "f1", "--out", "run", "--force"}));
    EXPECT_EQ(again["threshold"]["value"], nlohmann::json::parse(text)["decision"]["threshold"]);
}

TEST(RareClasses, WhatCannotBeIsNamedWithItsOption) {
    const User user;
    write_customers(user, 200, 20);
    const auto fails = [&](const std::vector<std::string>& more, const std::string& message) {
        const Outcome outcome = user.run(train(more));
        EXPECT_EQ(outcome.status, 2) << outcome;
        EXPECT_THAT(outcome.err, HasSubstr(message));
    };
    fails({"--threshold", "2"}, "--threshold: expected f1, balanced or a number between 0 and 1, got '2'");
    fails({"--class-weights", "missing.csv"}, "missing.csv");
    user.write("weights.csv", "no,1\nmaybe,2\n");
    fails({"--class-weights", "weights.csv"}, "weights.csv:2: expected a class of ");
    const Outcome none = user.run({"train", "--edges", "links.csv", "--nodes", "customers.csv", "--label",
                                   "cheat", "--method", "gcn", "--split", "all", "--threshold", "f1"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("--threshold f1 is fitted to validation nodes"));
    EXPECT_THAT(none.err, HasSubstr("--split shares:60:20 has some"));
    const Outcome three =
        user.run({"train", "synthetic", "--synthetic", "nodes=100,classes=3", "--threshold", "0.3"});
    EXPECT_EQ(three.status, 2);
    EXPECT_THAT(three.err, HasSubstr("--threshold 0.3 decides between two classes, and there are 3"));
}

TEST(RareClasses, EvaluateTakesThemToo) {
    const User user;
    write_customers(user, 300, 30);
    const nlohmann::json result =
        user.run_json(on_customers({"evaluate", "--method", "mlp", "--runs", "2"},
                                   {"--class-weights", "balanced", "--threshold", "0.2"}));
    EXPECT_EQ(result["class_weights"], "balanced");
    EXPECT_EQ(result["threshold"], "0.2");
    EXPECT_TRUE(result["results"][0]["mean_by_selection"].contains("auc"));
    const Outcome help = user.run({"evaluate", "--help"});
    EXPECT_THAT(help.out, HasSubstr("--class-weights"));
    EXPECT_THAT(help.out, HasSubstr("--threshold"));
}

}  // namespace
}  // namespace hwgcn::testing::rare_decisions_test
