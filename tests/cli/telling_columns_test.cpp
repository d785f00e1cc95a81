// A column that is known only once the label is: `train`, `evaluate` and `explain --importances` name it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::telling_columns_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A ring of customers. `refund` follows from the label where wanted; `age` says nothing.
void write_customers(const User& user, bool telling) {
    std::string edges = "from,to\n", nodes = "id,left,age,refund\n";
    for (int i = 0; i < 240; ++i) {
        const bool left = i * i % 7 < 3;
        const int refund = telling ? 10 * static_cast<int>(left) + i % 5 : i % 13;
        edges += fmt::format("c{},c{}\n", i, (i + 1) % 240);
        nodes += fmt::format("c{},{},{},{}\n", i, left ? "yes" : "no", 20 + i * 11 % 53, refund);
    }
    user.write("edges.csv", edges);
    user.write("nodes.csv", nodes);
}

const std::string named = "column 'refund' alone tells the classes apart (ROC AUC 100.00 % on";

std::vector<std::string> on_customers(const std::string& command, const std::vector<std::string>& more) {
    std::vector<std::string> words = {command, "--edges",  "edges.csv", "--nodes",  "nodes.csv", "--label",
                                      "left",  "--method", "gcn",       "--epochs", "5"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(TellingColumns, AreNamedByTrainEvaluateAndExplain) {
    const User user;
    write_customers(user, true);
    const Outcome trained = user.run(on_customers("train", {"--split", "shares:60:20", "--out", "run"}));
    EXPECT_EQ(trained.status, 0) << trained;
    EXPECT_THAT(trained.err, HasSubstr(named + " 193 known labels): is it known before the label is?"));
    EXPECT_THAT(trained.err, HasSubstr("is? --ignore leaves it out"));
    EXPECT_THAT(trained.out, HasSubstr("Linear")) << trained;
    EXPECT_THAT(user.run(on_customers("evaluate", {"--split", "shares:60:20", "--runs", "1"})).err,
                HasSubstr(named));
    const Outcome explained = user.run({"explain", "run", "--importances"});
    EXPECT_THAT(explained.err, HasSubstr(named)) << explained;
    const nlohmann::json json = user.run_json({"explain", "run", "--importances"});
    EXPECT_THAT(json["feature_importances"]["notes"][0].get<std::string>(), HasSubstr(named));
    EXPECT_THAT(user.run(on_customers("train", {"--split", "shares:60:20", "--ignore", "refund"})).err,
                Not(HasSubstr("before the label is")));
}

TEST(TellingColumns, OthersAreNot) {
    const User user;
    write_customers(user, false);
    const Outcome trained = user.run(on_customers("train", {"--split", "shares:60:20", "--out", "run"}));
    EXPECT_EQ(trained.status, 0) << trained;
    EXPECT_THAT(trained.err, Not(HasSubstr("before the label is")));
    EXPECT_THAT(user.run({"explain", "run", "--importances"}).err, Not(HasSubstr("before the label is")));
}

// The baseline on a few dense columns: a network with published dropout loses most of what they say.
TEST(Linear, IsTheBaselineOfFeaturesAndFairOnFewColumns) {
    const User user;
    std::string edges = "from,to\n", nodes = "id,kind,a,b\n";
    for (int i = 0; i < 300; ++i) {
        edges += fmt::format("n{},n{}\n", i, (i + 1) % 300);
        const int noise = i * i % 101 - 50;
        nodes +=
            fmt::format("n{},{},{},{}\n", i, noise + (i * 37 % 101) > 50 ? "x" : "y", noise, i * 37 % 101);
    }
    user.write("edges.csv", edges);
    user.write("nodes.csv", nodes);
    const nlohmann::json json =
        user.run_json({"train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--label", "kind", "--method",
                       "gcn", "--epochs", "5", "--split", "shares:50:10"});
    EXPECT_GT(json["baselines"]["linear"]["test_accuracy"], 95.0);
}

}  // namespace
}  // namespace hwgcn::testing::telling_columns_test
