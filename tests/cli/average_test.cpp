// An average of several methods, from the command line: one run like any other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::average_cli_test {
namespace {

using ::testing::HasSubstr;

const std::string graph = "nodes=900,classes=3,vocabulary=60,words=8,homophily=0.5,seed=";

// The cheap candidates do.
std::vector<std::string> asked(std::vector<std::string> words, int seed,
                               const std::vector<std::string>& more) {
    words.insert(words.end(), {"synthetic", "--synthetic", graph + std::to_string(seed), "--method", "auto",
                               "--effort", "quick", "--epochs", "60", "--split", "shares:40:40"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The first of some graphs on which an average is taken.
int graph_of_an_average(const User& user) {
    for (int seed = 1; seed < 9; ++seed) {
        if (user.run_json(asked({"train"}, seed, {"--no-baselines"}))["method"] == "average") return seed;
    }
    ADD_FAILURE() << "no average was taken";
    return 1;
}

TEST(AverageOfMethods, IsOneRun) {
    const User user;
    const nlohmann::json trained =
        user.run_json(asked({"train"}, graph_of_an_average(user), {"--no-baselines", "--out", "run"}));
    ASSERT_EQ(trained["method"], "average") << trained["choice"]["reason"];
    double weights = 0;
    for (const auto& member : trained["members"]) {
        weights += member["weight"].get<double>();
        EXPECT_EQ(member["settings"]["method"], member["method"]);
    }
    EXPECT_NEAR(weights, 1.0, 1e-12);
    EXPECT_GE(trained["members"].size(), 2U);
    EXPECT_THAT(trained["choice"]["reason"].get<std::string>(), HasSubstr("was chosen: it had"));
    EXPECT_TRUE(trained["choice"]["average"]["gain"].is_number());
    double of_candidates = 0;
    for (const auto& candidate : trained["choice"]["candidates"])
        of_candidates += candidate["weight"].get<double>();
    EXPECT_NEAR(of_candidates, 1.0, 1e-12);
    EXPECT_EQ(trained["by_selection"], nullptr);

    const Outcome predicted = user.run({"predict", "run"});
    EXPECT_EQ(predicted.status, 0) << predicted;
    EXPECT_EQ(predicted.out, content_of(user.work() / "run/predictions.csv"));
    EXPECT_EQ(user.run_json({"predict", "run", "--out", "again.csv"})["method"], "average");

    const nlohmann::json explained = user.run_json({"explain", "run", "--node", "7"});
    EXPECT_EQ(explained["kind"], "average");
    EXPECT_EQ(explained["members"].size(), trained["members"].size());
    double margin = 0;
    for (const auto& member : explained["members"])
        margin += member["weight"].get<double>() * member["margin"].get<double>() /
                  member["temperature"].get<double>();
    EXPECT_NEAR(explained["margin"].get<double>(), margin, 1e-9);
    const Outcome text = user.run({"explain", "run", "--node", "7", "--importances", "--columns", "3"});
    EXPECT_EQ(text.status, 0) << text;
    EXPECT_THAT(text.out, HasSubstr("which is not the log-odds of the averaged"));
    EXPECT_THAT(text.out, HasSubstr("by average of "));
    const Outcome page = user.run({"report", "run", "--out", "run.html"});
    EXPECT_EQ(page.status, 0) << page;
    EXPECT_THAT(content_of(user.work() / "run.html"), HasSubstr("\"members\":[{\"label\""));
    const Outcome orders = user.run({"report", "run", "--orders", "2"});
    EXPECT_EQ(orders.status, 2);
    EXPECT_THAT(orders.err, HasSubstr("--orders: average of "));
}

TEST(AverageOfMethods, IsTakenUnlessItIsOff) {
    const User user;
    const int seed = graph_of_an_average(user);
    const auto training = [&](std::vector<std::string> more) {
        more.emplace_back("--no-baselines");
        return asked({"train"}, seed, more);
    };
    const Outcome taken = user.run(training({}));
    EXPECT_THAT(taken.out, HasSubstr("  <- weight 0."));
    EXPECT_THAT(taken.out, HasSubstr("\n  the average "));
    EXPECT_THAT(taken.out, HasSubstr("\nAverage of the probabilities of "));
    const nlohmann::json off = user.run_json(training({"--average", "off", "--out", "off"}));
    EXPECT_NE(off["method"], "average");
    EXPECT_FALSE(off.contains("members"));
    EXPECT_FALSE(off["choice"].contains("average"));
    EXPECT_FALSE(std::filesystem::exists(user.work() / "off/member-2.npz"));
    const Outcome wrong = user.run(training({"--average", "always"}));
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("expected auto or off, got 'always'"));
    const Outcome unread = user.run({"train", "karate", "--method", "gcn", "--average", "off"});
    EXPECT_EQ(unread.status, 2);
}

TEST(AverageOfMethods, IsNamedInEvaluations) {
    const User user;
    const nlohmann::json result =
        user.run_json(asked({"evaluate"}, graph_of_an_average(user), {"--runs", "2"}));
    int averages = 0;
    for (const auto& [label, count] : result["results"][0]["chosen"].items()) {
        if (label.starts_with("average of ")) averages += count.get<int>();
    }
    EXPECT_GE(averages, 1) << result["results"][0]["chosen"];
}

TEST(AverageOfMethods, PredictsNewNodes) {
    const User user;
    const std::string named = graph + std::to_string(graph_of_an_average(user));
    const std::vector<std::string> exported = {"data",     "export", "synthetic", "--synthetic", named,
                                               "--format", "csv",    "--out",     "own"};
    ASSERT_EQ(user.run(exported).status, 0);
    const nlohmann::json trained = user.run_json(
        {"train", "--edges", "own/edges.csv", "--nodes", "own/nodes.csv", "--method", "auto", "--effort",
         "quick", "--epochs", "60", "--split", "shares:40:40", "--no-baselines", "--out", "run"});
    ASSERT_EQ(trained["method"], "average") << trained["choice"]["reason"];
    const std::string nodes = content_of(user.work() / "own/nodes.csv");
    const std::string heading = nodes.substr(0, nodes.find('\n'));
    const std::string first =
        nodes.substr(heading.size() + 1, nodes.find('\n', heading.size() + 1) - heading.size() - 1);
    user.write("more.csv", heading + "\nfresh" + first.substr(first.find(',')) + "\n");
    const Outcome fresh = user.run({"predict", "run", "--add-nodes", "more.csv", "--new-only", "--no-cache"});
    EXPECT_EQ(fresh.status, 0) << fresh;
    EXPECT_THAT(fresh.out, HasSubstr("\nfresh,"));
    const Outcome all = user.run({"predict", "run", "--add-nodes", "more.csv", "--no-cache"});
    EXPECT_THAT(all.out, HasSubstr(first.substr(0, first.find(',') + 1)));
}

}  // namespace
}  // namespace hwgcn::testing::average_cli_test
