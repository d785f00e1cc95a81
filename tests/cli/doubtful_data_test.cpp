#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::doubtful_data_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string hardly_differ = "the features hardly tell the nodes apart";

// A ring of nodes n0, n1, .. with a few chords.
std::string ring(int nodes) {
    std::string edges = "source,target\n";
    for (int i = 0; i < nodes; ++i)
        edges += fmt::format("n{},n{}\nn{},n{}\n", i, (i + 1) % nodes, i, (i + 7) % nodes);
    return edges;
}

// Writes edges.csv and nodes.csv with the label "a", "b" or "c" and what `cells` gives for a node.
template <typename Cells>
void write_tables(const User& user, int nodes, const std::string& columns, const Cells& cells) {
    std::string table = "id,label," + columns + "\n";
    for (int i = 0; i < nodes; ++i)
        table += fmt::format("n{},{},{}\n", i, "abc"[i % 3], cells(i));
    user.write("edges.csv", ring(nodes));
    user.write("nodes.csv", table);
}

// Sixteen signed numbers per node, as embeddings have.
void write_signed_tables(const User& user) {
    std::mt19937 random(7);
    const auto number = [&] {
        return (static_cast<double>(random() % 1000) + static_cast<double>(random() % 1000)) / 1000.0 - 1.0;
    };
    std::string columns = "v0";
    for (int k = 1; k < 16; ++k)
        columns += fmt::format(",v{}", k);
    write_tables(user, 120, columns, [&](int) {
        std::string cells = fmt::format("{}", number());
        for (int k = 1; k < 16; ++k)
            cells += fmt::format(",{}", number());
        return cells;
    });
}

const std::vector<std::string> own_tables = {"--edges", "edges.csv", "--nodes", "nodes.csv"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

const std::vector<std::vector<std::string>> short_runs = {
    {"train", "--method", "mlp", "--epochs", "2", "--no-baselines"},
    {"evaluate", "--method", "mlp", "--runs", "1", "--epochs", "2", "--no-baselines"},
    {"weights", "--order", "2"}};

std::string hints_of(const User& user, const std::vector<std::string>& dataset) {
    return user.run_json(with({"inspect"}, dataset))["hints"].dump();
}

const std::string standardised =
    "features: 16 numbers standardised, because 'v0' has negative values; --scale";

TEST(SignedFeatures, EveryCommandSaysWhatTheyBecome) {
    const User user;
    write_signed_tables(user);
    for (const std::vector<std::string>& command : short_runs) {
        const Outcome outcome = user.run(with(command, own_tables));
        EXPECT_EQ(outcome.status, 0) << outcome;
        EXPECT_THAT(outcome.err, HasSubstr(standardised)) << command[0];
        EXPECT_THAT(outcome.err, Not(HasSubstr(hardly_differ))) << command[0];
        EXPECT_THAT(user.run_json(with(with(command, own_tables), {"--no-cache"}))["notes"].dump(),
                    HasSubstr(standardised));
    }
    const Outcome inspected = user.run(with({"inspect"}, own_tables));
    EXPECT_THAT(inspected.out, HasSubstr("16 numbers standardised")) << inspected;
}

TEST(SignedFeatures, BecomeTheSameFromEveryFormat) {
    const User user;
    write_signed_tables(user);
    for (const auto& [format, out] : {std::pair("npz", "own.npz"), std::pair("matrix-market", "own")}) {
        ASSERT_EQ(
            user.run(with(with({"data", "export"}, own_tables), {"--format", format, "--out", out})).status,
            0);
        EXPECT_THAT(user.run(with(short_runs[0], {out})).err, HasSubstr("16 numbers standardised")) << format;
        EXPECT_EQ(user.run_json(with(short_runs[0], {out}))["test"],
                  user.run_json(with(short_runs[0], own_tables))["test"])
            << format;
    }
}

TEST(NearlyConstantFeatures, EveryCommandWarnsAndNamesTheOption) {
    const User user;
    std::mt19937 random(3);
    write_tables(user, 200, "age,income",
                 [&](int) { return fmt::format("{},{}", 18 + random() % 70, 20000 + random() % 120000); });
    EXPECT_THAT(hints_of(user, own_tables), Not(HasSubstr(hardly_differ)));
    const std::vector<std::string> by_rows = with(own_tables, {"--scale", "rows"});
    EXPECT_THAT(hints_of(user, by_rows), HasSubstr(hardly_differ));
    for (const std::vector<std::string>& command : short_runs) {
        const Outcome outcome = user.run(with(with(command, by_rows), {"--quiet"}));
        EXPECT_EQ(outcome.status, 0) << outcome;
        EXPECT_THAT(outcome.err, HasSubstr("warning: " + hardly_differ)) << command[0];
        EXPECT_THAT(outcome.err, HasSubstr("--scale standard")) << command[0];
    }
    EXPECT_THAT(hints_of(user, with(own_tables, {"--scale", "none"})), HasSubstr(hardly_differ));
}

TEST(NearlyConstantFeatures, WordsCategoriesAndNoFeaturesAreNotDoubted) {
    const User user;
    EXPECT_THAT(hints_of(user, {"karate"}), Not(HasSubstr(hardly_differ)));
    EXPECT_THAT(hints_of(user, {"synthetic"}), Not(HasSubstr(hardly_differ)));
    write_tables(user, 100, "country", [](int i) { return i % 20 == 0 ? "Peru" : "Chile"; });
    EXPECT_THAT(hints_of(user, own_tables), Not(HasSubstr(hardly_differ)));
    EXPECT_THAT(hints_of(user, {"--edges", "edges.csv"}), Not(HasSubstr(hardly_differ)));
    std::mt19937 random(5);
    write_tables(user, 100, "city,age", [&](int i) {
        return fmt::format("{},{}", i % 3 == 0 ? "Bonn" : i % 3 == 1 ? "Oslo" : "Rome", 18 + random() % 70);
    });
    EXPECT_THAT(hints_of(user, with(own_tables, {"--scale", "unit"})), Not(HasSubstr(hardly_differ)));
}

TEST(NearlyConstantFeatures, TheBenchmarksAreNotDoubted) {
    const auto data = HWGCN_REAL_DATA();
    for (const char* const name : {"cora", "citeseer", "pubmed"}) {
        EXPECT_THAT(hints_of(User(), {name, "--data-dir", std::filesystem::absolute(data).string()}),
                    Not(HasSubstr(hardly_differ)))
            << name;
    }
}

TEST(UnusedInput, FurtherColumnsOfTheEdgesAreNamed) {
    const User user;
    user.write("nodes.csv", "id,label,f\na,x,1\nb,y,0\nc,x,0\n");
    const auto notes = [&](const std::string& edges, const std::vector<std::string>& more = {}) {
        user.write("edges.csv", edges);
        const Outcome outcome = user.run(with(with({"inspect"}, own_tables), more));
        EXPECT_EQ(outcome.status, 0) << outcome;
        return outcome.err;
    };
    EXPECT_EQ(notes("source,target,weight\na,b,0.5\nb,c,2\n"), "");
    EXPECT_THAT(notes("source,target,calls\na,b,3\nb,c,4\n"),
                HasSubstr("note: edges: edges.csv: column 'calls' is not used: edges are all of one kind "
                          "(--weight 'calls' takes it as their weights)\n"));
    EXPECT_THAT(notes("source,target,kind\na,b,cites\nb,c,likes\n"),
                HasSubstr("column 'kind' is not used: edges are all of one kind\n"));
    EXPECT_THAT(notes("when,kind,from,to\n1,cites,a,b\n", {"--source", "from", "--target", "to"}),
                HasSubstr("columns 'when', 'kind' are not used"));
    EXPECT_THAT(notes("a,b,0.5\nb,c,2\n"), HasSubstr("column 3 is not used"));
    EXPECT_THAT(notes("a,b,0.5\nb,c,2\n"), HasSubstr("--weight 3 takes it"));
    EXPECT_EQ(notes("a,b,0.5\nb,c,2\n", {"--weight", "3"}), "");
    EXPECT_EQ(notes("source,target\na,b\n"), "");
}

TEST(UnusedInput, MinusOneAmongTheLabelsIsCounted) {
    const User user;
    user.write("edges.csv", "a,b\nb,c\nc,d\n");
    user.write("nodes.csv", "id,label,f\na,-1,1\nb,0,1\nc,1,2\nd,-1,1\n");
    const Outcome outcome = user.run(with({"inspect"}, own_tables));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err,
                HasSubstr("the label -1 counts as not known (2 nodes); if it is a class, give it "
                          "another name"));
    EXPECT_EQ(user.run_json(with({"inspect"}, own_tables))["labelled"], 2);
}

// `nodes` nodes, as many different incomes and one common city.
void write_incomes(const User& user, int nodes) {
    std::mt19937 random(1);
    std::string table = "id,income,city\n";
    for (int i = 0; i < nodes; ++i)
        table += fmt::format("n{},{}.{},{}\n", i, 20000 + 7 * i, random() % 10, i % 2 == 0 ? "Bonn" : "Oslo");
    user.write("edges.csv", ring(nodes));
    user.write("nodes.csv", table);
}

TEST(TooManyClasses, MeasuredNumbersAreRefusedAsLabels) {
    const User user;
    write_incomes(user, 60);
    const std::vector<std::string> target = with(own_tables, {"--label", "income"});
    const std::set<std::string> before = user.files();
    for (const char* const command : {"train", "evaluate"}) {
        const Outcome outcome = user.run(with({command}, target));
        EXPECT_EQ(outcome.status, 2) << outcome;
        EXPECT_THAT(outcome.err,
                    HasSubstr("the labels look like measured numbers, not like classes: 60 different "
                              "ones for 60 nodes"));
        EXPECT_THAT(outcome.err, HasSubstr("--max-classes 60 "));
        EXPECT_EQ(user.files(), before);
    }
    EXPECT_THAT(hints_of(user, target), HasSubstr("train and evaluate refuse these labels"));
    const Outcome overruled = user.run(
        with({"train", "--method", "lp", "--no-baselines", "--split", "all", "--max-classes", "60"}, target));
    EXPECT_EQ(overruled.status, 0) << overruled;
}

TEST(Bins, MeasuredNumbersBecomeClassesOnRequest) {
    const User user;
    write_incomes(user, 60);
    const std::vector<std::string> target = with(own_tables, {"--label", "income"});
    EXPECT_THAT(user.run(with({"train"}, target)).err, HasSubstr("--bins 5 puts them into five ranges"));
    const std::vector<std::string> binned = with(target, {"--bins", "3"});
    const Outcome trained = user.run(with(
        {"train", "--method", "mlp", "--epochs", "2", "--split", "random:5:10:20", "--out", "run"}, binned));
    EXPECT_EQ(trained.status, 0) << trained;
    EXPECT_THAT(trained.err, HasSubstr("the labels were put into 3 ranges of numbers: 20000."));
    EXPECT_EQ(user.run_json(with({"inspect"}, binned))["classes"], 3);
    // The run remembers it.
    EXPECT_EQ(user.run({"predict", "run", "--out", "predictions.csv"}).status, 0);
    EXPECT_THAT(content_of(user.work() / "predictions.csv"), HasSubstr(",20000."));
    EXPECT_EQ(user.run({"report", "run", "--out", "page.html"}).status, 0);
    const Outcome refused = user.run(with({"inspect"}, with(target, {"--bins", "1"})));
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--bins: expected a whole number in 2..1000, got '1'"));
    EXPECT_THAT(user.run({"train", "karate", "--bins", "3"}).err, HasSubstr("go with --edges FILE"));
}

TEST(LabelsWithSeveralParts, AreMentionedWithTheOptionThatDecides) {
    const User user;
    std::string table = "id,label,city\n";
    for (int i = 0; i < 40; ++i)
        table += fmt::format("n{},{},{}\n", i,
                             i % 4 == 0   ? "a;b"
                             : i % 2 == 0 ? "a"
                                          : "b",
                             i % 3 == 0 ? "x" : "y");
    user.write("edges.csv", ring(40));
    user.write("nodes.csv", table);
    EXPECT_THAT(
        user.run(with({"inspect"}, own_tables)).err,
        HasSubstr("10 of 40 labels have several parts, such as 'a;b': each different text is a class of its "
                  "own, 3 in all; --label-separator ';' takes the first part as the class"));
    const nlohmann::json inspected =
        user.run_json(with({"inspect"}, with(own_tables, {"--label-separator", ";"})));
    EXPECT_EQ(inspected["classes"], 2);
    const Outcome trained = user.run(with(
        {"train", "--method", "mlp", "--epochs", "2", "--out", "run", "--label-separator", ";"}, own_tables));
    EXPECT_EQ(trained.status, 0) << trained;
    EXPECT_EQ(user.run({"predict", "run", "--out", "predictions.csv"}).status, 0);
}

TEST(UnusedColumns, AreNamedInOneLine) {
    const User user;
    user.write("edges.csv", ring(60));
    std::string table = "id,label,empty,year,name,size\n";
    for (int i = 0; i < 60; ++i)
        table += fmt::format("n{},{},,2024,person {},{}\n", i, i % 2 == 0 ? "a" : "b", i, i % 7);
    user.write("nodes.csv", table);
    const Outcome trained = user.run(with({"train", "--method", "mlp", "--epochs", "2"}, own_tables));
    EXPECT_EQ(trained.status, 0) << trained;
    EXPECT_THAT(trained.err, HasSubstr("columns of no use: 'empty' (empty), 'year' (always 2024), "
                                       "'name' (left out: 60 different texts)"));
}

TEST(TooManyClasses, AreRefusedWithTheMemoryThatTheyWouldTake) {
    const User user;
    write_incomes(user, 1500);
    std::string table = "id,label,city\n";
    for (int i = 0; i < 1500; ++i)
        table += fmt::format("n{},person {},Bonn\n", i, i % 1200);
    user.write("nodes.csv", table);
    const Outcome refused = user.run(with({"train"}, own_tables));
    EXPECT_EQ(refused.status, 2) << refused;
    EXPECT_THAT(refused.err, HasSubstr("1200 classes are more than 1000"));
    EXPECT_THAT(refused.err, HasSubstr("--max-classes 1200 trains on them, with about "));
    EXPECT_THAT(user.run(with({"train", "--max-classes", "100"}, own_tables)).err,
                HasSubstr("1200 classes are more than 100"));
    const nlohmann::json inspected = user.run_json(with({"inspect"}, own_tables));
    EXPECT_GT(inspected["estimate"]["training_mb"].get<double>(), 200.0);
    EXPECT_THAT(inspected["hints"].dump(), HasSubstr("train and evaluate refuse these labels"));
}

TEST(TooManyClasses, NumbersOfClassesAreAccepted) {
    const User user;
    std::string table = "id,label,city\n";
    for (int i = 0; i < 80; ++i)
        table += fmt::format("n{},{},{}\n", i, i % 60, i % 2 == 0 ? "Bonn" : "Oslo");
    user.write("edges.csv", ring(80));
    user.write("nodes.csv", table);
    const Outcome outcome =
        user.run(with({"train", "--method", "lp", "--no-baselines", "--split", "all"}, own_tables));
    EXPECT_EQ(outcome.status, 0) << outcome;
}

// Reading, summarising, learning, training: whenever it comes, the program ends and leaves nothing.
TEST(Interrupt, EndsTheProgramInEveryPhase) {
    const User user;
    write_tables(user, 20'000, "w0,w1,w2,w3,w4,w5,w6,w7",
                 [](int i) { return fmt::format("{},0,1,0,{},0,{},1", i % 2, i % 5, i % 3); });
    // The cache may hold orders that were finished in time.
    const auto files = [&] {
        std::set<std::string> names = user.files();
        std::erase_if(names, [](const std::string& name) { return name.starts_with("cache"); });
        return names;
    };
    const std::set<std::string> before = files();
    for (const char* const command : {"inspect", "train", "evaluate", "weights"}) {
        for (const unsigned milliseconds : {0U, 20U, 60U, 120U, 300U}) {
            const pid_t process = user.start(with({command, "--order", "4"}, own_tables));
            ::usleep(1000 * milliseconds);
            ::kill(process, SIGINT);
            const Outcome outcome = user.finish(process);
            const bool was_faster = outcome.status == 0;
            EXPECT_TRUE(outcome.status == 130 || was_faster) << command << outcome;
            EXPECT_EQ(files(), before);
        }
    }
}

}  // namespace
}  // namespace hwgcn::testing::doubtful_data_test
