#include <algorithm>
#include <csignal>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/parameter.hpp"
#include "cli/run_program.hpp"

namespace hwgcn::testing::train_auto_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string small_graph = "nodes=300,vocabulary=60,words=6,seed=3";

std::vector<std::string> train(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"train",    "synthetic", "--synthetic", small_graph,
                                          "--epochs", "30",        "--split",     "random:5:50:100"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

// The synthetic graph as tables of one's own, with so many labels per class.
void write_own_tables(const User& user, int labels_per_class, const std::string& graph = small_graph) {
    EXPECT_EQ(
        user.run({"data", "export", "synthetic", "--synthetic", graph, "--format", "csv", "--out", "own"})
            .status,
        0);
    std::istringstream full(content_of(user.work() / "own/nodes.csv"));
    std::string line, table;
    std::getline(full, line);
    const std::vector<std::string> columns = split_at(line, ',');
    const auto place = std::ranges::find(columns, "label") - columns.begin();
    table = line + "\n";
    std::map<std::string, int> seen;
    while (std::getline(full, line)) {
        std::vector<std::string> fields = split_at(line, ',');
        if (++seen[fields[place]] > labels_per_class) fields[place] = "";
        for (std::size_t k = 0; k < fields.size(); ++k)
            table += fields[k] + (k + 1 < fields.size() ? "," : "\n");
    }
    user.write("own/nodes.csv", table);
}

// Classes that are the sign of a product: networks learn them, linear models cannot, and trees hardly. Only
// the training of a network can be interrupted.
void write_signs(const User& user) {
    constexpr int count = 300, labelled = 80;
    std::string edges = "source,target\n", nodes = "id,label,x,y\n";
    for (int k = 0; k < count; ++k) {
        edges += fmt::format("{},{}\n", k, (7 * k + 1) % count);
        const bool x = k * k / 3 % 2 != 0, y = k * 11 / 5 % 2 != 0;
        const double far = 1 + k * 13 % 10 / 20.0, wide = 1 + k * 17 % 10 / 20.0;
        nodes += fmt::format("{},{},{},{}\n", k,
                             k >= labelled ? ""
                             : x == y      ? "same"
                                           : "other",
                             x ? far : -far, y ? wide : -wide);
    }
    user.write("edges.csv", edges);
    user.write("nodes.csv", nodes);
}

TEST(TrainAutomatically, WithoutFeaturesTheGraphTakesTheirPlaceAndTheRunRemembersIt) {
    const User user;
    user.write("edges.csv", "a,b\nb,c\nc,a\nc,d\nd,e\ne,f\nf,d\n");
    user.write("nodes.csv", "id,label\na,x\nb,x\nc,\nd,\ne,y\nf,y\n");
    const std::vector<std::string> own = {"train", "--edges", "edges.csv", "--nodes", "nodes.csv"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), own.begin(), own.end());
        return more;
    };
    const Outcome told = user.run(with({"--epochs", "5"}));
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.err, HasSubstr("no features: degrees, core numbers"));
    EXPECT_THAT(told.err, HasSubstr("--structural-features off"));
    EXPECT_THAT(told.out, HasSubstr("Of 11 candidates, "));
    const Outcome without = user.run(with({"--structural-features", "off", "--out", "off"}));
    EXPECT_THAT(without.out, HasSubstr("Of 2 candidates, "));
    EXPECT_THAT(without.err, HasSubstr("there is only the graph to learn from"));
    for (const std::string method : {"gcn", "lp"}) {
        const Outcome one = user.run(with({"--method", method, "--epochs", "5", "--out", method}));
        EXPECT_EQ(one.status, method == "gcn" ? 0 : 2) << one;  // LP has no epochs
    }
    EXPECT_EQ(user.run({"predict", "gcn"}).status, 0);
    EXPECT_EQ(user.run({"predict", "off"}).status, 0);
    const Outcome ignored = user.run(with({"--method", "lp"}));
    EXPECT_THAT(ignored.err, Not(HasSubstr("no features")));
}

TEST(TrainAutomatically, OnYourOwnDataChoosesTheMethodAndSaysWhy) {
    const User user;
    write_own_tables(user, 4);
    const std::vector<std::string> arguments = {
        "train", "--edges", "own/edges.csv", "--nodes", "own/nodes.csv", "--epochs", "40"};
    const nlohmann::json result = user.run_json(arguments);
    EXPECT_EQ(result["split"], "all");
    EXPECT_EQ(result["train_nodes"], 20);
    EXPECT_EQ(result["test_accuracy"], nullptr);
    EXPECT_EQ(result["choice"]["cross_fitted"], true);
    EXPECT_EQ(result["choice"]["judged_on"], "20 training nodes, each held out in one of 4 folds");
    EXPECT_EQ(result["choice"]["candidates"].size(), 10U);
    int chosen = 0;
    for (const auto& candidate : result["choice"]["candidates"]) {
        if (!candidate["chosen"]) continue;
        ++chosen;
        EXPECT_EQ(candidate["method"], result["method"]);
        EXPECT_EQ(candidate["order"], result["order"]);
    }
    EXPECT_EQ(chosen, 1);
    const Outcome told = user.run(arguments);
    EXPECT_THAT(told.out, HasSubstr("Of 10 candidates, "));
    EXPECT_THAT(told.out, HasSubstr("<- chosen"));
    EXPECT_THAT(told.out, HasSubstr("by only 20 held-out nodes: take them as a ranking"));
    EXPECT_THAT(told.out, HasSubstr("of 20 labels were, when they were held out"));
}

TEST(TrainAutomatically, WithOneLabelPerClassSaysThatNothingIsKnown) {
    const User user;
    write_own_tables(user, 1);
    const Outcome told =
        user.run({"train", "--edges", "own/edges.csv", "--nodes", "own/nodes.csv", "--epochs", "20"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, HasSubstr("Diffusion was taken without comparison"));
    EXPECT_THAT(told.out, HasSubstr("take the probabilities as a ranking only"));
    EXPECT_THAT(told.err, HasSubstr("few training nodes have the class 'class_0' (1)"));
}

TEST(TrainAutomatically, KeepsAndPredictsWhatWasChosen) {
    const User user;
    const std::vector<std::string> arguments = train({"--method", "auto", "--out", "run"});
    const nlohmann::json result = user.run_json(arguments);
    const nlohmann::json stored = nlohmann::json::parse(content_of(user.work() / "run/run.json"));
    EXPECT_EQ(stored["choice"]["reason"], result["choice"]["reason"]);
    EXPECT_EQ(stored["settings"]["method"], result["method"]);
    EXPECT_NE(result["temperature"], 1.0);
    EXPECT_EQ(user.run({"predict", "run"}).out, content_of(user.work() / "run/predictions.csv"));
    // The same method, asked for by name, is the same model.
    std::vector<std::string> by_name = {"train", "synthetic", "--out", "named"};
    for (const auto& [name, value] : stored["settings"].items()) {
        std::string option = "--" + name;
        std::ranges::replace(option, '_', '-');
        if (name != "network") by_name.insert(by_name.end(), {option, value});
    }
    for (const std::string option : {"--synthetic", "--split"}) {
        const auto place = std::ranges::find(arguments, option);
        if (place != arguments.end()) by_name.insert(by_name.end(), {option, *(place + 1)});
    }
    user.run_json(by_name);
    EXPECT_EQ(content_of(user.work() / "run/model.npz"), content_of(user.work() / "named/model.npz"));
}

TEST(TrainAutomatically, NamesAMissingClass) {
    const User user;
    user.write("split.json", R"({"train": ["1", "2", "3"], "validation": [], "test": ["34"]})");
    const Outcome told =
        user.run({"train", "karate", "--split", "split.json", "--method", "auto", "--epochs", "5"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.err, HasSubstr("no training node has the class 'Officer': nothing can learn it"));
}

TEST(TrainAutomatically, WarnsOfAGraphThatJoinsStrangers) {
    const User user;
    const Outcome told = user.run({"train", "synthetic", "--synthetic", "nodes=300,classes=5,homophily=0.2",
                                   "--method", "mlp", "--epochs", "5", "--split", "random:20:100:50"});
    EXPECT_THAT(told.err, HasSubstr("stay within a class: neighbors may mislead"));
    EXPECT_EQ(user.run(train({"--method", "mlp"})).err.find("mislead"), std::string::npos);
}

TEST(TrainAutomatically, ManyLabelsAreDivided) {
    const User user;
    write_own_tables(user, 1000);
    const nlohmann::json result = user.run_json(
        {"train", "--edges", "own/edges.csv", "--nodes", "own/nodes.csv", "--epochs", "10", "--order", "2"});
    EXPECT_EQ(result["split"], "shares:60:20:seed=0");
    EXPECT_EQ(result["train_nodes"], 180);
    EXPECT_EQ(result["test_nodes"], 60);
}

TEST(TrainAutomatically, TakesTheSettingsOfItsCandidates) {
    const User user;
    const auto quick = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"train", "karate", "--method", "auto", "--epochs", "5"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    EXPECT_EQ(user.run(quick({"--weighting", "lasso", "--lambda", "0.1", "--order", "2"})).status, 0);
    EXPECT_EQ(user.run(quick({"--keep", "0.5", "--order", "2"})).status, 0);
    const Outcome keep = user.run(quick({"--keep", "0.5"}));
    EXPECT_EQ(keep.status, 2);
    EXPECT_THAT(keep.err, HasSubstr("--keep has a share for each order: it goes with --order K"));
    EXPECT_EQ(
        user.run({"train", "karate", "--weighting", "lasso", "--lambda", "0.1", "--epochs", "5"}).status, 0);
    EXPECT_THAT(user.run({"train", "karate", "--lambda", "0.1"}).err,
                HasSubstr("--lambda: HWGCN reads it only with --weighting lasso"));
}

TEST(TrainAutomatically, EvaluateTellsWhatWasChosen) {
    const User user;
    const std::vector<std::string> arguments = {"evaluate", "synthetic", "--synthetic", small_graph,
                                                "--method", "gcn,auto",  "--split",     "random:5:50:100",
                                                "--runs",   "3",         "--epochs",    "10",
                                                "--order",  "2",         "--journal",   "runs.jsonl"};
    const nlohmann::json first = user.run_json(arguments);
    int chosen = 0;
    for (const auto& [label, count] : first["results"][1]["chosen"].items())
        chosen += count.get<int>();
    EXPECT_EQ(chosen, 3);
    EXPECT_FALSE(first["results"][0].contains("chosen"));
    const nlohmann::json again = user.run_json(arguments);
    EXPECT_EQ(again["results"][1]["reused_runs"], 3);
    EXPECT_EQ(again["results"][1]["chosen"], first["results"][1]["chosen"]);
    EXPECT_THAT(user.run(arguments).out, HasSubstr("auto chose "));
}

// Interrupted when the choice is made and the training of the chosen method has just begun.
Outcome stop_after_choice(const User& user, const std::vector<std::string>& arguments,
                          const std::string& run) {
    const pid_t process = user.start(arguments);
    for (int attempt = 0; attempt < 600'000 && !std::filesystem::exists(user.work() / run / "run.json");
         ++attempt)
        ::usleep(200);
    ::kill(process, SIGINT);
    return user.finish(process);
}

TEST(TrainAutomatically, ResumesTheTrainingOfWhatItChose) {
    const User user;
    write_signs(user);
    const auto into = [&](const std::string& folder, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"train",    "--edges", "edges.csv", "--nodes", "nodes.csv",
                                              "--epochs", "1500",    "--hidden",  "8",       "--operator",
                                              "plain",    "--out",   folder};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const Outcome stopped = stop_after_choice(user, into("stopped"), "stopped");
    ASSERT_EQ(stopped.status, 130) << stopped;
    ASSERT_TRUE(std::filesystem::exists(user.work() / "stopped/checkpoint.npz")) << stopped;
    EXPECT_THAT(stopped.err, HasSubstr("the same command with --resume goes on from here"));
    const auto choice = [&] {
        return nlohmann::json::parse(content_of(user.work() / "stopped/run.json"))["choice"];
    };
    const nlohmann::json before = choice();
    EXPECT_THAT(user.run(into("stopped", {"--resume", "--rate", "0.5"})).err,
                HasSubstr("begun with auto and other settings"));
    const Outcome resumed = user.run(into("stopped", {"--resume"}));
    EXPECT_EQ(resumed.status, 0) << resumed;
    EXPECT_EQ(resumed.err.find("starting anew"), std::string::npos) << resumed;
    EXPECT_EQ(choice(), before);
    EXPECT_EQ(user.run(into("whole")).status, 0);
    EXPECT_EQ(content_of(user.work() / "stopped/model.npz"), content_of(user.work() / "whole/model.npz"));
}

}  // namespace
}  // namespace hwgcn::testing::train_auto_test
