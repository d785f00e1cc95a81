#include <algorithm>
#include <numeric>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parameter.hpp"
#include "cli/run_program.hpp"

namespace hwgcn::testing::predict_test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> train_on_karate(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"train", "karate", "--epochs", "30", "--quiet", "--out", "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_order(std::move(arguments), "2");
}

// A club in tables of its own, with names that need quotes.
void write_tables(const User& user) {
    std::string nodes = "name,team,f1,f2,f3\n";
    std::string edges;
    for (int i = 0; i < 24; ++i) {
        const std::string team = i % 2 == 0 ? "\"red, \"\"hot\"\"\"" : "id";
        nodes +=
            "\"m,\"\"" + std::to_string(i) + "\"\"\"," + team + "," + (i % 2 == 0 ? "3,1,0" : "0,1,3") + "\n";
        edges +=
            "\"m,\"\"" + std::to_string(i) + "\"\"\",\"m,\"\"" + std::to_string((i + 2) % 24) + "\"\"\"\n";
    }
    user.write("nodes.csv", nodes);
    user.write("edges.csv", edges);
}

std::vector<std::string> train_on_tables() {
    return {"train", "--edges", "edges.csv", "--nodes",  "nodes.csv", "--id",  "name", "--label",
            "team",  "--order", "2",         "--epochs", "20",        "--out", "run"};
}

void expect_refused(const User& user, const std::vector<std::string>& arguments, const std::string& message) {
    const Outcome outcome = user.run(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(Predict, GivesThePredictionsOfTheRun) {
    const User user;
    for (const std::string method : {"hwgcn", "gcn", "mlp", "sgc", "appnp", "gat", "mixhop"}) {
        ASSERT_EQ(user.run(train_on_karate({"--method", method, "--force"})).status, 0) << method;
        const std::string expected = content_of(user.work() / "run/predictions.csv");
        const Outcome outcome = user.run({"predict", "run"});
        EXPECT_EQ(outcome.status, 0) << outcome;
        EXPECT_EQ(outcome.out, expected) << method;
        EXPECT_EQ(user.run({"predict", "run", "--threads", "3", "--no-cache"}).out, expected) << method;
    }
}

TEST(Predict, TheTableHasEveryNodeWithItsProbabilities) {
    const User user;
    user.run(train_on_karate());
    const Outcome outcome = user.run({"predict", "run", "--out", "p.csv"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.out, HasSubstr("Written: p.csv"));
    std::istringstream lines(content_of(user.path("p.csv")));
    std::string line;
    std::getline(lines, line);
    EXPECT_TRUE(line.starts_with("id,prediction,")) << line;
    EXPECT_TRUE(line.ends_with(",label,split")) << line;
    int nodes = 0;
    while (std::getline(lines, line)) {
        std::vector<std::string> fields;
        std::istringstream record(line);
        for (std::string field; std::getline(record, field, ',');)
            fields.push_back(field);
        ASSERT_GE(fields.size(), 5U) << line;
        EXPECT_NEAR(std::stod(fields[2]) + std::stod(fields[3]), 1.0, 1e-5);
        ++nodes;
    }
    EXPECT_EQ(nodes, 34);
}

TEST(Predict, TheJsonCountsTheClasses) {
    const User user;
    user.run(train_on_karate());
    const nlohmann::json result = user.run_json({"predict", "run"});
    EXPECT_EQ(result["dataset"], "karate");
    EXPECT_EQ(result["nodes"], 34);
    int nodes = 0;
    for (const auto& item : result["classes"])
        nodes += item["predicted"].get<int>();
    EXPECT_EQ(nodes, 34);
    EXPECT_GT(result["mean_confidence"], 50.0);
    EXPECT_LE(result["mean_confidence"], 100.0);
}

TEST(Predict, OddNamesComeBackInQuotes) {
    const User user;
    write_tables(user);
    const Outcome trained = user.run(train_on_tables());
    ASSERT_EQ(trained.status, 0) << trained;
    const std::string table = user.run({"predict", "run"}).out;
    EXPECT_EQ(table, content_of(user.work() / "run/predictions.csv"));
    EXPECT_THAT(table, HasSubstr("id,prediction,"));
    EXPECT_THAT(table, HasSubstr("\"red, \"\"hot\"\"\""));
    EXPECT_THAT(table.substr(0, table.find('\n')), HasSubstr(",id_,")) << "a class called like a column";
    EXPECT_THAT(table, HasSubstr("\n\"m,\"\"17\"\"\","));
}

TEST(Predict, AChangedDatasetIsRefused) {
    const User user;
    write_tables(user);
    user.run(train_on_tables());
    const std::string nodes = content_of(user.path("nodes.csv"));
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = nodes;
        changed.replace(changed.find(from), from.size(), to);
        user.write("nodes.csv", changed);
    };
    with("3,1,0", "3,1,1");
    expect_refused(user, {"predict", "run"},
                   "the dataset is not the one that the run was trained on: its edges or features differ");
    with("id,0", ",0");  // one label less
    expect_refused(user, {"predict", "run"}, "its labels, names or directions differ");
    fs::remove(user.path("nodes.csv"));
    expect_refused(user, {"predict", "run"}, "nodes.csv");
    user.write("moved.csv", nodes);
    const Outcome moved = user.run({"predict", "run", "--edges", "edges.csv", "--nodes", "moved.csv", "--id",
                                    "name", "--label", "team"});
    EXPECT_EQ(moved.status, 0) << moved;
    EXPECT_EQ(moved.out, content_of(user.work() / "run/predictions.csv"));
    expect_refused(user, {"predict", "run", "karate"}, "karate: the dataset is not the one");
}

TEST(Predict, ARunFindsItsDataFromAnotherFolder) {
    const User user;
    user.run({"data", "export", "karate", "--format", "npz", "--out", "club.npz"});
    EXPECT_EQ(user.run({"train", "./club.npz", "--method", "gcn", "--epochs", "5", "--out", "run"}).status,
              0);
    fs::create_directories(user.work() / "elsewhere");
    fs::rename(user.work() / "run", user.work() / "elsewhere/run");
    const Outcome outcome = user.run({"predict", "elsewhere/run"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    fs::rename(user.path("club.npz"), user.path("elsewhere/club.npz"));
    EXPECT_EQ(user.run({"predict", "elsewhere/run"}).status, 2);
    EXPECT_EQ(user.run({"predict", "elsewhere/run", "elsewhere/club.npz"}).out, outcome.out);
}

TEST(Predict, DamagedFilesAreRefused) {
    const User user;
    user.run(train_on_karate());
    for (const std::string name : {"model.npz", "run.json", "split.json"}) {
        const fs::path file = user.work() / "run" / name;
        const std::string intact = content_of(file);
        std::string changed = intact;
        changed[intact.size() / 2] ^= 1;
        user.write("run/" + name, changed);
        expect_refused(user, {"predict", "run"}, "run/" + name + ": ");
        user.write("run/" + name, intact.substr(0, intact.size() / 2));
        expect_refused(user, {"predict", "run"}, "run/" + name + ": ");
        fs::remove(file);
        expect_refused(user, {"predict", "run"}, name);
        user.write("run/" + name, intact);
    }
    EXPECT_EQ(user.run({"predict", "run"}).status, 0);
}

TEST(Predict, WrongUsageIsExplained) {
    const User user;
    fs::create_directories(user.work() / "empty");
    user.write("file", "");
    expect_refused(user, {"predict"}, "no run was given");
    expect_refused(user, {"predict", "nowhere"}, "nowhere: no such folder, expected a run");
    expect_refused(user, {"predict", "empty"}, "empty: is not a run: it has no run.json");
    user.run(train_on_karate());
    expect_refused(user, {"predict", "run", "--out", "empty"}, "--out empty: is a folder");
    expect_refused(user, {"predict", "run", "--out", "file/p.csv"}, "is not a folder");
    expect_refused(user, {"predict", "run", "--edges", "e.csv", "karate"},
                   "either the dataset 'karate' or --edges");
    expect_refused(user, {"predict", "run", "--no-cache", "--cache-dir", "c"}, "exclude each other");
}

TEST(Predict, AbstainsWhereItIsNotSureEnough) {
    const User user;
    user.run_json({"train", "karate", "--epochs", "40", "--out", "run"});
    std::vector<std::size_t> blanks;
    for (const char* least : {"0", "0.9", "1"}) {
        const nlohmann::json result =
            user.run_json({"predict", "run", "--abstain", least, "--out", "predictions.csv"});
        std::istringstream table(content_of(user.work() / "predictions.csv"));
        std::string line;
        std::size_t blank = 0;
        std::getline(table, line);
        while (std::getline(table, line)) {
            const std::vector<std::string> fields = split_at(line, ',');
            const bool sure = std::max(std::stod(fields[2]), std::stod(fields[3])) >= std::stod(least);
            EXPECT_EQ(fields[1].empty(), !sure) << line;
            blank += fields[1].empty() ? 1 : 0;
        }
        EXPECT_EQ(result["abstained"], blank);
        blanks.push_back(blank);
    }
    EXPECT_EQ(blanks[0], 0U);
    EXPECT_GT(blanks[1], 0U);
    EXPECT_EQ(blanks[2], 34U);
    EXPECT_EQ(user.run({"predict", "run", "--abstain", "1.5"}).status, 2);
}

}  // namespace
}  // namespace hwgcn::testing::predict_test
