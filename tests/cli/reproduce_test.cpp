#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::reproduce_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A small graph that calls itself Cora: large enough for the paper's splits.
void export_data(const User& user) {
    const Outcome outcome =
        user.run({"data", "export", "synthetic", "--synthetic", "nodes=1800,classes=4,vocabulary=80,words=5",
                  "--format", "npz", "--out", "data/cora.npz"});
    ASSERT_EQ(outcome.status, 0) << outcome;
}

std::vector<std::string> reproduce(const std::string& target, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"reproduce", target, "--data-dir", "data", "--dataset", "cora"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return with_defaults(arguments, {{"--epochs", "10"}, {"--runs", "2"}});
}

std::size_t lines_of(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(stream), {}, '\n'));
}

// The cells without what is measured anew when a run is repeated.
nlohmann::json accuracies(const nlohmann::json& result) {
    nlohmann::json cells = result["cells"];
    for (nlohmann::json& cell : cells) {
        EXPECT_EQ(cell.erase("seconds") + cell.erase("peak_mb"), 2U);
    }
    return cells;
}

TEST(Reproduce, WritesTablesNumbersAndFiguresBesideThePapers) {
    const User user;
    export_data(user);
    const nlohmann::json json =
        user.run_json(reproduce("random", {"--method", "mlp,gcn,hwgcn", "--order", "3"}));
    EXPECT_EQ(json["target"], "random");
    ASSERT_EQ(json["cells"].size(), 9U);
    for (const nlohmann::json& cell : json["cells"]) {
        EXPECT_EQ(cell["dataset"], "cora");
        EXPECT_EQ(cell["runs"], 2);
        EXPECT_NEAR(cell["difference"], cell["ours"].get<double>() - cell["paper"].get<double>(), 1e-9);
    }
    EXPECT_EQ(json["cells"][2]["method"], "hwgcn");
    EXPECT_EQ(json["cells"][2]["setting"], "random:20");
    EXPECT_EQ(json["cells"][2]["paper"], 81.7);
    const std::filesystem::path folder = user.work() / "reproduction";
    EXPECT_THAT(content_of(folder / "random.md"), HasSubstr("What HWGCN gains over GCN"));
    EXPECT_THAT(content_of(folder / "random.md"), HasSubstr("Changed settings: order = 3, epochs = 10."));
    EXPECT_EQ(nlohmann::json::parse(content_of(folder / "random.json"))["cells"], json["cells"]);
    for (const char* figure : {"accuracy-random20.svg", "accuracy-random10.svg", "accuracy-random5.svg"})
        EXPECT_THAT(content_of(folder / figure), HasSubstr("</svg>")) << figure;
}

TEST(Reproduce, EveryTargetRuns) {
    const User user;
    export_data(user);
    const auto cells = [&](const std::string& target, const std::vector<std::string>& more = {}) {
        return user.run_json(reproduce(target, more))["cells"].size();
    };
    EXPECT_EQ(cells("table1"), 4U);
    EXPECT_EQ(cells("powers", {"--max-order", "2"}), 6U);  // three settings, K = 1 and 2
    EXPECT_EQ(cells("random", {"--method", "gcn,hwgcn", "--order", "2"}), 6U);
    EXPECT_EQ(cells("statistics", {"--max-order", "3"}), 12U);
    EXPECT_EQ(cells("graphs", {"--order", "2"}), 10U);
    const std::string graphs = content_of(user.work() / "reproduction" / "graphs.md");
    for (const char* text : {"What the operator adds", "auto and its candidates", "What auto chose"})
        EXPECT_THAT(graphs, HasSubstr(text));
    const Outcome beyond = user.run(reproduce("beyond", {"--method", "gcn"}));
    EXPECT_EQ(beyond.status, 2);
    EXPECT_THAT(beyond.err, HasSubstr("unknown method of this table 'gcn'"));
    const Outcome fixed = user.run(reproduce("fixed"));
    EXPECT_EQ(fixed.status, 2) << "this graph has no published split";
    EXPECT_THAT(content_of(user.work() / "reproduction" / "powers.md"), HasSubstr("K = 2"));
}

TEST(Reproduce, BeyondThePaperEveryRecipeHasItsControl) {
    const auto data = HWGCN_REAL_DATA();
    const User user;
    const nlohmann::json json =
        user.run_json({"reproduce", "beyond", "--data-dir", data.string(), "--dataset", "cora", "--runs", "2",
                       "--epochs", "2", "--order", "2", "--method", "hwgcn-wide,hwgpr+self-training,auto",
                       "--setting", "fixed,random:5"});
    ASSERT_EQ(json["cells"].size(), 2U * (2U + 2U + 1U));
    EXPECT_EQ(json["cells"][0]["method"], "hwgcn-wide");
    EXPECT_EQ(json["cells"][1]["method"], "hwgcn-wide, plain graph");
    EXPECT_EQ(json["cells"][2]["method"], "auto");
    EXPECT_EQ(json["cells"][3]["method"], "hwgpr+self-training") << "auto has no control";
    EXPECT_EQ(json["cells"][0]["paper"], 83.0) << "the best of the paper";
    EXPECT_GT(json["cells"][0]["seconds"], 0.0);
    EXPECT_GT(json["cells"][0]["peak_mb"], 10.0);
    EXPECT_TRUE(json["cells"][0]["by_loss"].is_number());
    const std::string text = content_of(user.work() / "reproduction" / "beyond.md");
    EXPECT_THAT(text, HasSubstr("85.4 / – |"));
    EXPECT_THAT(text, HasSubstr("operator adds"));
    EXPECT_THAT(text, HasSubstr("What `auto` chose"));
}

TEST(Reproduce, BeyondThePaperTheVariantOfHwgrandIsChosenByValidation) {
    const User user;
    export_data(user);
    const nlohmann::json json = user.run_json(
        reproduce("beyond", {"--method", "hwgrand-chosen", "--setting", "random:5", "--order", "2"}));
    ASSERT_EQ(json["cells"].size(), 2U);
    EXPECT_EQ(json["cells"][0]["method"], "hwgrand-chosen");
    EXPECT_EQ(lines_of(user.work() / "reproduction" / "runs.jsonl"), 1U + 2U * 3U * 2U)
        << "two runs of three variants on two operators";
    EXPECT_THAT(content_of(user.work() / "reproduction" / "beyond.md"),
                HasSubstr("`hwgrand` / `hwgrand-sharp` / `hwgrand-norm`"));
    // Each variant is a row, too, and nothing trains again for it.
    const nlohmann::json rows =
        user.run_json(reproduce("beyond", {"--setting", "random:5", "--order", "2", "--finished-only"}));
    EXPECT_EQ(rows["cells"].size(), 2U * (3U + 1U));
    EXPECT_EQ(lines_of(user.work() / "reproduction" / "runs.jsonl"), 13U);
}

TEST(Reproduce, PiecesOfATableArePutTogether) {
    const User user;
    export_data(user);
    const auto piece = [&](const std::vector<std::string>& more) {
        std::vector<std::string> how = {"--method", "hwgpr", "--setting", "random:5", "--order", "2"};
        how.insert(how.end(), more.begin(), more.end());
        return user.run_json(reproduce("beyond", how));
    };
    const nlohmann::json whole = piece({"--runs", "3", "--out", "whole"});
    piece({"--runs", "1", "--out", "a"});
    piece({"--runs", "2", "--seed", "1", "--out", "b"});
    piece({"--runs", "2", "--seed", "5000", "--out", "c"});
    std::filesystem::create_directory(user.work() / "all");
    std::ofstream journal(user.work() / "all" / "runs.jsonl", std::ios::binary);
    for (const char* folder : {"a", "b", "c"})
        journal << content_of(user.work() / folder / "runs.jsonl");
    journal.close();
    const nlohmann::json all = piece({"--runs", "3", "--out", "all", "--finished-only"});
    ASSERT_EQ(all["cells"].size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(all["cells"][k]["ours"], whole["cells"][k]["ours"]);
        EXPECT_EQ(all["cells"][k]["runs"], 3);
    }
    EXPECT_THAT(content_of(user.work() / "all" / "beyond.md"), HasSubstr("## Seeds from 5000 on"));
    EXPECT_THAT(content_of(user.work() / "whole" / "beyond.md"), Not(HasSubstr("Seeds from 5000 on")));
    EXPECT_FALSE(std::filesystem::exists(user.work() / "all" / "runs.jsonl.damaged"));
}

TEST(Reproduce, FinishedRunsAloneMakeTablesThatSayHowManyTheyAre) {
    const User user;
    export_data(user);
    const auto run = [&](const std::string& target, const std::vector<std::string>& more) {
        return user.run_json(reproduce(target, more));
    };
    EXPECT_EQ(run("random", {"--finished-only", "--order", "2"})["cells"].size(), 0U);
    run("random", {"--method", "gcn", "--setting", "random:10"});
    const std::filesystem::path journal = user.work() / "reproduction" / "runs.jsonl";
    EXPECT_EQ(lines_of(journal), 3U);
    const nlohmann::json cells = run("random", {"--finished-only", "--runs", "5", "--order", "2"})["cells"];
    ASSERT_EQ(cells.size(), 1U);
    EXPECT_EQ(cells[0]["setting"], "random:10");
    EXPECT_EQ(cells[0]["runs"], 2);
    EXPECT_EQ(cells[0]["asked"], 5);
    EXPECT_THAT(content_of(user.work() / "reproduction" / "random.md"), HasSubstr("(2 of 5)"));
    EXPECT_EQ(
        run("orders", {"--finished-only", "--max-order", "2", "--setting", "random:10"})["cells"].size(), 1U)
        << "GCN is its first order";
    EXPECT_EQ(run("table1", {"--finished-only"})["cells"].size(), 0U);
    EXPECT_EQ(run("graphs", {"--finished-only", "--order", "2"})["cells"].size(), 0U);
    EXPECT_EQ(lines_of(journal), 3U) << "nothing was trained";
}

TEST(Reproduce, MapsOfGainsComeFromPiecesAsFromAWhole) {
    const User user;
    const auto helps = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"reproduce", "helps", "--dataset", "topics"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return with_defaults(arguments, {{"--epochs", "2"}, {"--order", "2"}});
    };
    const nlohmann::json whole = user.run_json(helps({"--runs", "2", "--out", "whole"}));
    ASSERT_EQ(whole["cells"].size(), 6U * 5U * 2U);
    EXPECT_EQ(whole["cells"][0]["dataset"], "topic_share=0.6");
    EXPECT_EQ(whole["cells"][0]["method"], "hwgcn");
    EXPECT_EQ(whole["cells"][1]["method"], "gcn");
    EXPECT_EQ(whole["cells"][1]["setting"], "random:2");
    EXPECT_EQ(whole["cells"][1]["runs"], 2);
    EXPECT_NE(whole["cells"][0]["ours"], whole["cells"][1]["ours"]);
    EXPECT_THAT(content_of(user.work() / "whole" / "helps.md"),
                AllOf(HasSubstr("over 2 graphs"), HasSubstr("(helps-topics.svg)"), HasSubstr(" ± ")));
    EXPECT_THAT(content_of(user.work() / "whole" / "helps-topics.svg"), HasSubstr("</svg>"));

    // One graph each, then everything from the two journals, without another run.
    EXPECT_EQ(user.run_json(helps({"--runs", "1", "--out", "a"}))["cells"][0]["runs"], 1);
    const Outcome second = user.run(helps({"--runs", "1", "--seed", "1", "--out", "b"}));
    EXPECT_EQ(second.status, 0) << second;
    EXPECT_EQ(second.err.find("warning"), std::string::npos) << second;
    std::string merged = content_of(user.work() / "a" / "runs.jsonl");
    const std::string more = content_of(user.work() / "b" / "runs.jsonl");
    merged += more.substr(more.find('\n') + 1);
    std::filesystem::create_directory(user.work() / "c");
    user.write("c/runs.jsonl", merged);
    EXPECT_EQ(user.run_json(helps({"--runs", "2", "--out", "c"}))["cells"], whole["cells"]);
    EXPECT_EQ(content_of(user.work() / "c" / "runs.jsonl"), merged);

    const Outcome refused = user.run(helps({"--method", "hwgpr"}));
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("expected hwgcn"));
    EXPECT_THAT(user.run({"reproduce", "helps", "--dataset", "cora"}).err,
                HasSubstr("dataset of this experiment"));
}

TEST(Reproduce, AllOfItOnRealData) {
    const auto data = HWGCN_REAL_DATA();
    const User user;
    const nlohmann::json json =
        user.run_json({"reproduce", "all", "--data-dir", data.string(), "--dataset", "cora", "--runs", "1",
                       "--epochs", "2", "--max-order", "2", "--walks", "1"});
    EXPECT_EQ(json["target"], "all");
    // depth 4, random 3 x (5 and LP), fixed 11, orders 4 x 2, powers 3 x 2, statistics 6
    EXPECT_EQ(json["cells"].size(), 4U + 18U + 11U + 8U + 6U + 6U);
    const std::string fixed = content_of(user.work() / "reproduction" / "fixed.md");
    for (const char* method :
         {"mlp", "manireg", "semiemb", "lp", "deepwalk", "ica", "planetoid", "gcn", "gat", "mixhop", "hwgcn"})
        EXPECT_THAT(fixed, HasSubstr(std::string("| ") + method + " "));
    for (const char* target : {"table1", "random", "fixed", "orders", "powers", "statistics"})
        EXPECT_TRUE(std::filesystem::exists(user.work() / "reproduction" / (std::string(target) + ".md")))
            << target;
}

TEST(Reproduce, KilledItContinuesWhereItStopped) {
    const User user;
    export_data(user);
    const std::vector<std::string> arguments =
        reproduce("random", {"--method", "gcn,hwgcn", "--runs", "6", "--epochs", "60", "--order", "2"});
    const std::filesystem::path journal = user.work() / "reproduction" / "runs.jsonl";
    const pid_t process = user.start(arguments);
    for (int wait = 0; wait < 2000 && lines_of(journal) < 4; ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(process, SIGKILL);
    user.finish(process);
    const std::size_t before = lines_of(journal);
    ASSERT_GE(before, 3U);
    const std::string content = content_of(journal);
    const std::string kept = content.substr(content.find('{'), content.find('}') - content.find('{'));
    const nlohmann::json continued = user.run_json(arguments);
    EXPECT_EQ(lines_of(journal), 37U)
        << "a title, then two methods, three settings, six runs, none of them twice";
    EXPECT_THAT(content_of(journal), HasSubstr(kept));
    // The same as in one go.
    std::vector<std::string> elsewhere = arguments;
    elsewhere.insert(elsewhere.end(), {"--out", "other"});
    EXPECT_EQ(accuracies(user.run_json(elsewhere)), accuracies(continued));
}

// The process that was started is the one that the signal reaches, though another program does the work.
TEST(Reproduce, InterruptedItSaysHowToGoOn) {
    const User user;
    export_data(user);
    const std::filesystem::path journal = user.work() / "reproduction" / "runs.jsonl";
    const pid_t process = user.start(reproduce("random", {"--method", "gcn", "--runs", "99"}));
    for (int wait = 0; wait < 2000 && !std::filesystem::exists(journal); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(process, SIGINT);
    const Outcome stopped = user.finish(process);
    EXPECT_EQ(stopped.status, 130) << stopped;
    EXPECT_THAT(stopped.err, HasSubstr("the same command continues there"));
}

TEST(Reproduce, DamagedRunsAndWeightsAreReportedAndComputedAgain) {
    const User user;
    export_data(user);
    const std::vector<std::string> arguments = reproduce("random", {"--method", "hwgcn", "--order", "2"});
    const nlohmann::json first = user.run_json(arguments);
    const std::filesystem::path journal = user.work() / "reproduction" / "runs.jsonl";
    std::string content = content_of(journal);
    content[content.find("test_accuracy") + 17] ^= 1;
    std::ofstream(journal, std::ios::binary) << content;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(user.cache())) {
        if (!entry.is_regular_file()) continue;
        std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(entry.path()) / 2));
        file.write("damage", 6);
    }
    const Outcome outcome = user.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("damaged line"));
    EXPECT_THAT(outcome.err, HasSubstr("learning it again")) << "the weights, too";
    EXPECT_EQ(accuracies(user.run_json(arguments)), accuracies(first));
}

TEST(Reproduce, TheSeedIsThatOfTheFirstRun) {
    const User user;
    export_data(user);
    const auto mean = [&](const std::string& runs, const std::string& seed) -> double {
        const std::vector<std::string> how = {"--method", "gcn", "--runs", runs, "--seed", seed};
        return user.run_json(reproduce("random", how))["cells"][0]["ours"];
    };
    const double both = mean("2", "0"), first = mean("1", "0"), second = mean("1", "1");
    EXPECT_NEAR(both, (first + second) / 2, 1e-9);
    EXPECT_NE(first, second) << "otherwise this test could not tell them apart";
    EXPECT_THAT(content_of(user.work() / "reproduction" / "random.md"), HasSubstr("first seed = 1"));
    const Outcome statistics = user.run({"reproduce", "statistics", "--seed", "1"});
    EXPECT_EQ(statistics.status, 2);
    EXPECT_THAT(statistics.err, HasSubstr("--seed has no effect on statistics"));
}

TEST(Reproduce, WrongNamesAreExplained) {
    const User user;
    const auto message = [&](const std::vector<std::string>& arguments) {
        const Outcome outcome = user.run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome;
        return outcome.err;
    };
    EXPECT_THAT(message({"reproduce", "tabel1"}), HasSubstr("did you mean 'table1'"));
    EXPECT_THAT(message({"reproduce", "random", "--dataset", "corra"}), HasSubstr("did you mean 'cora'"));
    EXPECT_THAT(message({"reproduce", "random", "--method", "gnc"}), HasSubstr("did you mean 'gcn'"));
    EXPECT_THAT(message({"reproduce"}), HasSubstr("TARGET"));
    EXPECT_THAT(message({"reproduce", "table1", "--layers", "3"}),
                HasSubstr("--layers has no effect on table1"));
    EXPECT_THAT(message({"reproduce", "table1", "--heads", "3"}), HasSubstr("--heads: GCN does not have it"));
    EXPECT_THAT(message({"reproduce", "orders", "--order", "3"}),
                HasSubstr("--order has no effect on orders"));
    EXPECT_THAT(message({"reproduce", "table1", "--dataset", "pubmed"}), HasSubstr("experiment on cora"));
    EXPECT_THAT(message({"reproduce", "random", "--dataset", "cora,cora"}), HasSubstr("given twice"));
    EXPECT_THAT(message({"reproduce", "beyond", "--method", "hwgpr,hwgpr"}), HasSubstr("given twice"));
    EXPECT_THAT(message({"reproduce", "beyond", "--method", "hwgpr+self-trainig"}),
                HasSubstr("did you mean 'hwgpr+self-training'"));
    EXPECT_THAT(message({"reproduce", "random", "--setting", "fixed"}),
                HasSubstr("unknown setting of random 'fixed'"));
    EXPECT_THAT(message({"reproduce", "table1", "--setting", "fixed"}),
                HasSubstr("--setting has no effect on table1"));
    EXPECT_THAT(message({"reproduce", "statistics", "--finished-only"}),
                HasSubstr("--finished-only has no effect on statistics"));
    EXPECT_THAT(message({"reproduce", "random", "--method", "gcn,gcn"}), HasSubstr("given twice"));
}

}  // namespace
}  // namespace hwgcn::testing::reproduce_test
