#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::train_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string small_graph = "nodes=300,vocabulary=60,words=6,seed=3";

std::vector<std::string> train(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"train", "synthetic", "--synthetic", small_graph};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_order(with_defaults(arguments, {{"--epochs", "30"}, {"--split", "random:5:50:100"}}), "2");
}

nlohmann::json manifest_of(const User& user, const std::string& run) {
    return nlohmann::json::parse(content_of(user.work() / run / "run.json"));
}

std::string model_of(const User& user, const std::string& run) {
    return content_of(user.work() / run / "model.npz");
}

TEST(Train, TheJsonHasTheKeysOfTheContractAndNumbersInPercent) {
    const User user;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"train", "karate", "--epochs", "60"}, train()}) {
        const nlohmann::json result = user.run_json(arguments);
        for (const char* const key : {"dataset",       "method",         "order",
                                      "split",         "seed",           "epochs",
                                      "best_epoch",    "train_accuracy", "validation_accuracy",
                                      "test_accuracy", "macro_f1",       "nll",
                                      "ece",           "seconds",        "peak_mb",
                                      "classes",       "confusion",      "reliability",
                                      "settings",      "notes"})
            EXPECT_TRUE(result.contains(key)) << key;
        EXPECT_EQ(result["dataset"], arguments[1]);
        EXPECT_EQ(result["method"], "hwgcn");
        EXPECT_EQ(result["out"], nullptr);
        EXPECT_GT(result["train_accuracy"], 50.0);
        EXPECT_GT(result["test_accuracy"], 30.0);
        EXPECT_LE(result["test_accuracy"], 100.0);
        EXPECT_LE(result["best_epoch"], result["epochs"]);
    }
    EXPECT_TRUE(fs::is_empty(user.work()));
}

TEST(Train, ARunHasTheNameThatItIsGivenOrThatOfTheFolderOfItsEdges) {
    const User user;
    for (const char* const folder : {"club", "club/run-of-data"})
        fs::create_directories(user.work() / folder);
    user.write("club/edges.csv", "from,to\na,b\nb,c\nc,d\nd,e\ne,a\n");
    user.write("club/friends.csv", content_of(user.path("club/edges.csv")));
    user.write("club/nodes.csv", "id,team,x\na,red,1\nb,red,2\nc,blue,4\nd,blue,5\ne,red,0\n");
    const auto trained = [&](const char* edges, const std::vector<std::string>& more) {
        std::vector<std::string> words = {"train",   "--edges", edges,      "--nodes",       "club/nodes.csv",
                                          "--label", "team",    "--method", "gcn",           "--epochs",
                                          "2",       "--split", "all",      "--no-baselines"};
        words.insert(words.end(), more.begin(), more.end());
        return user.run(words).out;
    };
    EXPECT_THAT(trained("club/edges.csv", {}), ::testing::StartsWith("club: GCN"));
    EXPECT_THAT(trained("club/friends.csv", {}), ::testing::StartsWith("friends: GCN"));
    EXPECT_THAT(trained("club/edges.csv", {"--name", "Our club", "--out", "run"}),
                ::testing::StartsWith("Our club: GCN"));
    const nlohmann::json manifest = manifest_of(user, "run");
    EXPECT_EQ(manifest["dataset"]["given"]["name"], "Our club");
    EXPECT_EQ(manifest["dataset"]["name"], "edges") << "what settings were published for depends on it";
    EXPECT_THAT(user.run({"predict", "run", "--out", "p.csv"}).out, ::testing::StartsWith("Our club"));
    ASSERT_EQ(user.run({"report", "run", "--out", "r.html"}).status, 0);
    EXPECT_THAT(content_of(user.path("r.html")), HasSubstr("<title>Our club: GCN"));
    EXPECT_EQ(user.run_json({"train", "karate", "--method", "lp", "--name", "x"})["name"], "x");
}

// The model is written before the baselines are trained.
TEST(Train, TheTimeIsThatOfTheWholeCommand) {
    const User user;
    const nlohmann::json result = user.run_json(train({"--out", "run"}));
    EXPECT_GT(result["seconds"], manifest_of(user, "run")["result"]["seconds"]);
    EXPECT_GT(result["seconds_reading"], 0.0);
    EXPECT_LT(result["seconds_reading"], result["seconds"]);
}

TEST(Train, LpAndLinearStandBesideTheResult) {
    const User user;
    const nlohmann::json result = user.run_json(train({"--out", "run"}));
    ASSERT_EQ(result["baselines"].size(), 3U);
    EXPECT_GT(result["baselines"]["lp"]["test_accuracy"], 20.0);
    EXPECT_GT(result["baselines"]["linear"]["validation_accuracy"], 20.0);
    EXPECT_EQ(manifest_of(user, "run")["result"]["baselines"]["lp"]["test"]["accuracy"],
              result["baselines"]["lp"]["test_accuracy"]);
    EXPECT_TRUE(user.run_json(train({"--no-baselines"}))["baselines"].empty());
    const Outcome text = user.run(train());
    EXPECT_THAT(text.out, HasSubstr("the graph without the features")) << text;
    EXPECT_THAT(text.out, HasSubstr("the features without the graph")) << text;
}

TEST(Train, ABaselineThatDoesBetterIsPointedOut) {
    // Words say nothing here, and a network with one epoch knows nothing yet.
    const Outcome text = User().run({"train", "synthetic", "--synthetic",
                                     "nodes=300,vocabulary=60,words=6,topic_share=0,homophily=0.95",
                                     "--method", "gcn", "--epochs", "1", "--split", "random:5:50:100"});
    EXPECT_EQ(text.status, 0) << text;
    EXPECT_THAT(
        text.out,
        HasSubstr("LP does better here: the graph without the features says more than both together."))
        << text;
}

TEST(Train, ClassicMethodsAreTrainedKeptAndUsedLikeNetworks) {
    const User user;
    for (const std::string method : {"lp", "ica", "manireg", "deepwalk", "linear", "diffusion", "boosted"}) {
        const nlohmann::json result = user.run_json(
            {"train", "synthetic", "--synthetic", "nodes=300,vocabulary=60,words=6,topic_share=0.8",
             "--split", "random:5:50:100", "--method", method, "--out", method});
        EXPECT_EQ(result["epochs"], 0) << method;
        EXPECT_GT(result["test_accuracy"], 25.0) << method;
        EXPECT_FALSE(result["summary"].get<std::string>().empty()) << method;
        const Outcome predicted = user.run({"predict", method});
        EXPECT_EQ(predicted.status, 0) << predicted;
        EXPECT_EQ(predicted.out, content_of(user.work() / method / "predictions.csv")) << method;
    }
}

TEST(Train, AGraphWithoutFeaturesIsForLpAndDeepwalk) {
    const User user;
    user.write("edges.csv", "a,b\nb,c\nc,a\nd,e\ne,f\nf,d\na,d\n");
    user.write("nodes.csv", "id,label\na,x\nb,x\nc,x\nd,y\ne,y\nf,y\n");
    for (const char* const method : {"lp", "deepwalk"}) {
        const nlohmann::json result = user.run_json({"train", "--edges", "edges.csv", "--nodes", "nodes.csv",
                                                     "--method", method, "--split", "random:1:1:3"});
        EXPECT_GT(result["test_accuracy"], 0.0) << method;
        EXPECT_FALSE(result["baselines"].contains("linear"));
    }
}

TEST(Train, TheConfusionMatrixAgreesWithTheAccuracy) {
    const nlohmann::json result = User().run_json(train());
    int right = 0, all = 0;
    for (std::size_t label = 0; label < result["confusion"].size(); ++label) {
        for (std::size_t predicted = 0; predicted < result["confusion"].size(); ++predicted) {
            const int count = result["confusion"][label][predicted];
            all += count;
            if (label == predicted) right += count;
        }
    }
    EXPECT_EQ(all, 100);
    EXPECT_NEAR(result["test_accuracy"].get<double>(), 100.0 * right / all, 1e-9);
    int support = 0;
    for (const auto& item : result["classes"])
        support += item["support"].get<int>();
    EXPECT_EQ(support, 100);
}

TEST(Train, WithoutATestListThereIsNoTestAccuracy) {
    const nlohmann::json result =
        User().run_json({"train", "synthetic", "--synthetic", small_graph, "--method", "gcn", "--epochs", "3",
                         "--split", "random:5:0:0"});
    EXPECT_EQ(result["test_accuracy"], nullptr);
    EXPECT_EQ(result["validation_accuracy"], nullptr);
    EXPECT_EQ(result["best_epoch"], 3);
    EXPECT_GE(result["train_accuracy"], 0.0);
}

TEST(Train, WritesARunWhoseFilesAgree) {
    const User user;
    const nlohmann::json result = user.run_json(train({"--out", "runs/a", "--seed", "9"}));
    for (const char* const name : {"run.json", "model.npz", "history.csv", "predictions.csv", "split.json"})
        EXPECT_TRUE(fs::exists(user.work() / "runs/a" / name)) << name;
    EXPECT_FALSE(fs::exists(user.work() / "runs/a/checkpoint.npz"));
    for (const std::string& name : user.files())
        EXPECT_EQ(name.find(".partial"), std::string::npos) << name;

    const nlohmann::json manifest = manifest_of(user, "runs/a");
    EXPECT_EQ(manifest["seed"], 9);
    EXPECT_EQ(manifest["finished"], true);
    EXPECT_EQ(manifest["settings"], result["settings"]);
    EXPECT_EQ(manifest["settings"]["order"], "2");
    EXPECT_EQ(manifest["dataset"]["sha256"], result["dataset_sha256"]);
    EXPECT_EQ(manifest["dataset"]["given"]["synthetic"], small_graph);
    EXPECT_EQ(manifest["result"]["test"]["accuracy"], result["test_accuracy"]);
    EXPECT_EQ(manifest["result"]["best_epoch"], result["best_epoch"]);
    EXPECT_EQ(manifest["files"].size(), 4U);

    const std::string history = content_of(user.work() / "runs/a/history.csv");
    EXPECT_EQ(std::count(history.begin(), history.end(), '\n'), 31);
    const std::string predictions = content_of(user.work() / "runs/a/predictions.csv");
    EXPECT_EQ(std::count(predictions.begin(), predictions.end(), '\n'), 301);
    const nlohmann::json split = nlohmann::json::parse(content_of(user.work() / "runs/a/split.json"));
    EXPECT_EQ(split["test"].size(), 100U);
    EXPECT_EQ(split["sha256"], result["split_sha256"]);
}

TEST(Train, ThePeopleGetATableAndWhatToDoNext) {
    const User user;
    const Outcome outcome = user.run(train({"--out", "a", "--quiet"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("of the known labels and"));  // 30 epochs are few
    for (const char* const part : {"synthetic: HWGCN of order 2", "accuracy %", "macro-F1 %", "precision %",
                                   "was the best on the validation nodes", "Written: a\n",
                                   "Next: hwgcn predict a --out predictions.csv, hwgcn report a\n"})
        EXPECT_THAT(outcome.out, HasSubstr(part));
    EXPECT_THAT(user.run(train()).out, HasSubstr("Nothing was written; --out RUN keeps the model"));
}

TEST(Train, TheModelDoesNotDependOnTheNumberOfThreads) {
    const User user;
    for (const std::string threads : {"1", "3"})
        user.run_json(train({"--threads", threads, "--no-cache", "--out", threads}));
    EXPECT_EQ(model_of(user, "1"), model_of(user, "3"));
    EXPECT_NE(model_of(user, "1"), "");
}

TEST(Train, ThePlainNetworkOnTheHigherOrderOperatorIsHwgcn) {
    const User user;
    user.run_json(train({"--method", "hwgcn", "--order", "3", "--out", "a"}));
    user.run_json(train({"--method", "gcn", "--operator", "higher-order", "--order", "3", "--out", "b"}));
    user.run_json(train({"--method", "gcn", "--out", "c"}));
    EXPECT_EQ(model_of(user, "a"), model_of(user, "b"));
    EXPECT_EQ(content_of(user.work() / "a/predictions.csv"), content_of(user.work() / "b/predictions.csv"));
    EXPECT_NE(model_of(user, "a"), model_of(user, "c"));
}

TEST(Train, SaysWhichSplitItChoseWhereNoneIsPublished) {
    const Outcome outcome = User().run({"train", "karate", "--method", "gcn", "--epochs", "5"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err,
                HasSubstr("karate: of 34 labels 16 train, 6 validate, 12 test (--split random:8:6:12)"));
    EXPECT_THAT(
        User().run({"train", "synthetic", "--method", "mlp", "--epochs", "2"}).err,
        HasSubstr("synthetic: of 2000 labels 100 train, 500 validate, 1000 test (--split random:20); --split "
                  "all trains on all of them"));
}

// Twenty nodes per class of thousands would train; what auto does with own data, every method does.
TEST(Train, OwnDataGetTheSplitOfAutoWhateverTheMethod) {
    const User user;
    const auto write = [&](int nodes) {
        std::string edges = "from,to\n", table = "id,x,y,label\n";
        for (int i = 0; i < nodes; ++i) {
            edges += fmt::format("{},{}\n", i, (i + 1) % nodes);
            table += fmt::format("{},{},{},{}\n", i, i % 7 - 3, i % 5, i % 3 == 0 ? "a" : "b");
        }
        user.write("edges.csv", edges);
        user.write("nodes.csv", table);
    };
    const auto run = [&](const std::string& command) {
        return user.run({command, "--edges", "edges.csv", "--nodes", "nodes.csv", "--method", "gcn",
                         "--epochs", "2", "--no-baselines"});
    };
    write(300);
    EXPECT_THAT(run("train").err, HasSubstr("of 300 labels 180 train, 60 validate, 60 test (--split "
                                            "shares:60:20); --split all trains on all of them"));
    EXPECT_THAT(run("evaluate").out, HasSubstr("(shares:60:20)"));
    write(60);
    EXPECT_THAT(run("train").err, HasSubstr("of 60 labels 60 train, 0 validate, 0 test (--split all)"));
    EXPECT_THAT(run("evaluate").out, HasSubstr("(shares:60:20)")) << "which compares by test nodes";
}

TEST(Train, TakesTheSplitOfAFile) {
    const User user;
    user.run({"data", "split", "karate", "--split", "random:3:5:5", "--seed", "4", "--out", "s.json"});
    const nlohmann::json drawn = user.run_json(
        {"train", "karate", "--method", "mlp", "--epochs", "5", "--split", "random:3:5:5", "--seed", "4"});
    const nlohmann::json read = user.run_json(
        {"train", "karate", "--method", "mlp", "--epochs", "5", "--split", "s.json", "--seed", "4"});
    EXPECT_EQ(read["split"], "s.json");
    EXPECT_EQ(read["split_sha256"], drawn["split_sha256"]);
    EXPECT_EQ(read["test_accuracy"], drawn["test_accuracy"]);
}

TEST(Train, TakesYourOwnTables) {
    const User user;
    EXPECT_EQ(user.run({"data", "export", "karate", "--format", "csv", "--out", "club"}).status, 0);
    const nlohmann::json result =
        user.run_json({"train", "--edges", "club/edges.csv", "--nodes", "club/nodes.csv", "--order", "2",
                       "--epochs", "40", "--out", "run"});
    EXPECT_GT(result["train_accuracy"], 80.0);
    EXPECT_EQ(result["split"], "all");
    const nlohmann::json given = manifest_of(user, "run")["dataset"]["given"];
    EXPECT_EQ(given["edges"], (fs::canonical(user.work()) / "club/edges.csv").string());
}

TEST(Train, AFinishedRunIsOnlyReplacedByForce) {
    const User user;
    const std::vector<std::string> arguments = train({"--method", "gcn", "--out", "run"});
    user.run_json(arguments);
    const std::string before = content_of(user.work() / "run/run.json");
    const Outcome refused = user.run(arguments);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(
        refused.err,
        HasSubstr("--out run: holds a finished run; choose another name, or replace it with --force"));
    std::vector<std::string> resumed = arguments;
    resumed.push_back("--resume");
    EXPECT_THAT(user.run(resumed).err, HasSubstr("holds a finished run"));
    EXPECT_EQ(content_of(user.work() / "run/run.json"), before);
    user.run_json(train({"--method", "gcn", "--out", "run", "--force", "--seed", "1"}));
    EXPECT_EQ(manifest_of(user, "run")["seed"], 1);
}

TEST(Train, AFolderOfSomethingElseIsLeftAlone) {
    const User user;
    fs::create_directories(user.work() / "thesis");
    user.write("thesis/chapter1.tex", "");
    for (const std::string option : {"--quiet", "--force", "--resume"}) {
        const Outcome outcome = user.run(train({"--out", "thesis", option}));
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err,
                    HasSubstr("--out thesis: holds other files, expected a new or an empty folder"));
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(user.work() / "thesis"), {}), 1);
}

TEST(Train, DivergenceIsAFailureThatLeavesRoomForAnotherTry) {
    const User user;
    const Outcome outcome = user.run(train({"--method", "gcn", "--optimizer", "gradient-descent", "--rate",
                                            "1e6", "--l2", "10", "--out", "run"}));
    EXPECT_EQ(outcome.status, 1) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("training diverged"));
    EXPECT_EQ(user.run(train({"--method", "gcn", "--out", "run"})).status, 0);
}

}  // namespace
}  // namespace hwgcn::testing::train_test
