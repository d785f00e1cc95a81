#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"
#include "fetch/fetch.hpp"

namespace hwgcn::testing::wrong_usage_test {
namespace {

using ::testing::HasSubstr;

struct Mistake {
    std::vector<std::string> arguments;
    std::string message;  ///< part of what the program says
};

// Each is answered by one line on standard error, status 2 and nothing on disk.
void expect_refused(const User& user, const std::vector<Mistake>& mistakes) {
    const std::set<std::string> before = user.files();
    for (const Mistake& mistake : mistakes) {
        std::string command = "hwgcn";
        for (const std::string& word : mistake.arguments)
            command += " " + word;
        const Outcome outcome = user.run(mistake.arguments);
        EXPECT_EQ(outcome.status, 2) << command << "\n" << outcome;
        EXPECT_EQ(outcome.out, "") << command;
        EXPECT_THAT(outcome.err, HasSubstr(mistake.message)) << command;
        EXPECT_TRUE(outcome.err.starts_with("hwgcn: error: ")) << command << "\n" << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << command << outcome.err;
        EXPECT_EQ(user.files(), before) << command;
    }
}

TEST(WrongUsage, UnknownWordsSuggestTheNearest) {
    expect_refused(
        User(),
        {
            {{"wieghts", "karate"}, "unknown command 'wieghts', did you mean 'weights'?"},
            {{"trian", "karate"}, "unknown command 'trian', did you mean 'train'?"},
            {{"train", "karate", "--method", "hwgc"}, "unknown method 'hwgc', did you mean 'hwgcn'?"},
            {{"train", "karate", "--rat", "3"}, "unknown option '--rat', did you mean '--rate'?"},
            {{"train", "karate", "--dropout", "0.5"},
             "unknown option '--dropout', did you mean '--input-dropout', '--hidden-dropout', "},
            {{"train", "karate", "--learning-rate", "0.5"}, "did you mean '--rate'?"},
            {{"train", "karate", "--split", "planetiod"}, "did you mean 'planetoid'?"},
            {{"data", "lst"}, "unknown data command 'lst', did you mean 'list'?"},
            {{"weights", "karate", "--oder", "3"}, "unknown option '--oder', did you mean '--order'?"},
            {{"weights", "--oder=3", "karate"}, "unknown option '--oder', did you mean '--order'?"},
            {{"weights", "karate", "-o", "3"}, "unknown option '-o'; see: hwgcn weights --help"},
            {{"--threads", "2", "info"}, "unknown option '--threads'; see: hwgcn --help"},
            {{"data", "list", "--detail"}, "did you mean '--details'?"},
            {{"inspect", "karat"}, "unknown dataset 'karat', did you mean 'karate'?"},
            {{"inspect", "cora"}, "download it with: hwgcn data fetch cora"},
            {{"data", "fetch", "corra"}, "unknown dataset 'corra', did you mean 'cora'?"},
            {{"inspect", "synthetic", "--synthetic", "node=9"},
             "unknown parameter 'node', did you mean 'nodes'?"},
        });
}

TEST(WrongUsage, ValuesOutOfRangeNameTheOptionAndTheRange) {
    expect_refused(
        User(),
        {
            {{"weights", "karate", "--order", "0"}, "--order: expected a whole number in 1..64, got '0'"},
            {{"weights", "karate", "--order", "65"}, "--order: expected a whole number in 1..64, got '65'"},
            {{"weights", "karate", "--order", "2.5"}, "got '2.5'"},
            {{"weights", "karate", "--order", "two"}, "got 'two'"},
            {{"weights", "karate", "--order", ""}, "got ''"},
            {{"weights", "karate", "--order", "99999999999999999999"}, "--order: expected"},
            {{"weights", "karate", "--order", "1"}, "--order 1: nothing to learn"},
            {{"inspect", "karate", "--threads", "-1"},
             "--threads: expected a whole number in 0..1024, got '-1'"},
            {{"weights", "karate", "--tolerance", "0"}, "--tolerance: expected a number above 0, got '0'"},
            {{"weights", "karate", "--tolerance", "nan"}, "--tolerance: expected"},
            {{"weights", "karate", "--tolerance", "inf"}, "--tolerance: expected"},
            {{"weights", "karate", "--max-ring", "-5"},
             "--max-ring: expected a whole number of at least 0, got '-5'"},
            {{"weights", "karate", "--weighting", "lerned"},
             "--weighting: expected learned, uniform or lasso"},
            {{"weights", "karate", "--neighborhood", "far"},
             "--neighborhood: expected distance or power, got 'far'"},
            {{"weights", "karate", "--keep", "20"}, "--keep: expected a list"},
            {{"weights", "karate", "--keep", "0.5,"}, "--keep: expected a list"},
            {{"weights", "karate", "--order", "3", "--keep", "0.5"},
             "expected 2 shares, one for each of the orders 2..3, got 1"},
            {{"weights", "karate", "--lambda", "0.1"}, "--lambda matters only with --weighting lasso"},
            {{"inspect", "synthetic", "--synthetic", "nodes=0"},
             "--synthetic: nodes: expected a whole number of at least 1"},
            {{"inspect", "synthetic", "--synthetic", "homophily=1.5"},
             "homophily: expected a number in 0..1, got '1.5'"},
            {{"inspect", "synthetic", "--synthetic", "nodes"}, "expected key=value"},
            {{"inspect", "synthetic", "--synthetic", "nodes=9,mean_degree=9"},
             "mean_degree is 9, expected 0..8"},
            {{"data", "split", "karate", "--split", "random:x"}, "expected random:PER_CLASS"},
            {{"data", "split", "karate", "--split", "random:20"}, "needs 20 labelled nodes of class"},
            {{"data", "split", "karate", "--split", "planetoid"}, "no split is published"},
            {{"data", "split", "karate", "--seed", "-1"}, "--seed: expected a whole number of at least 0"},
        });
}

TEST(WrongUsage, SettingsOfTrainingOutOfRangeNameTheOptionAndTheRange) {
    expect_refused(
        User(),
        {
            {{"train", "karate", "--rate", "0"}, "--rate: expected a number above 0"},
            {{"train", "karate", "--rate", "fast"}, "got 'fast'"},
            {{"train", "karate", "--epochs", "0"}, "--epochs: expected a whole number in 1.."},
            {{"train", "karate", "--layers", "0"}, "--layers: expected a whole number"},
            {{"train", "karate", "--input-dropout", "1"}, "--input-dropout: expected"},
            {{"train", "karate", "--optimizer", "sgd"}, "--optimizer: expected adam or gradient-descent"},
            {{"train", "karate", "--selection", "luck"}, "--selection: expected auto, accuracy, loss, auc"},
            {{"train", "karate", "--operator", "plane"},
             "--operator: expected plain, higher-order, in or out"},
            {{"train", "karate", "--order", "65"}, "--order: expected a whole number in 1..64"},
            {{"train", "karate", "--seed", "-1"}, "--seed: expected a whole number of at least 0"},
            {{"train", "karate", "--split", "random:x"}, "expected random:PER_CLASS"},
            {{"train", "karate", "--split", "random:20"}, "needs 20 labelled nodes of class"},
            {{"train", "karate", "--split", "random:5:100:100"}, "needs 100 validation and 100 test nodes"},
            {{"train", "karate", "--split", "planetoid"}, "no split is published"},
            {{"train", "karate", "--method", ""}, "--method: expected a method"},
            {{"train", "karate", "--method", "gcn,hwgcn"}, "hwgcn evaluate compares several"},
            {{"train", "karate", "--resume"}, "--resume goes with --out RUN"},
            {{"train", "karate", "--force"}, "--force goes with --out RUN"},
            {{"train", "karate", "--out", "r", "--resume", "--force"}, "exclude each other"},
            {{"train", "karate", "--no-cache", "--cache-dir", "c"}, "exclude each other"},
        });
}

TEST(WrongUsage, MissingAndConflictingArgumentsAreNamed) {
    expect_refused(
        User(),
        {
            {{"weights"}, "no dataset was given"},
            {{"inspect", ""}, "no dataset was given"},
            {{"train"}, "no dataset was given"},
            {{"weights", "karate", "--order"}, "--order needs a value"},
            {{"weights", "karate", "--out", "--json", "-"}, "--out needs a value, found the option '--json'"},
            {{"info", "--quiet=7"}, "--quiet takes no value"},
            {{"weights", "karate", "cora"}, "unexpected argument 'cora'"},
            {{"inspect", "karate", "--edges", "e.csv"}, "either the dataset 'karate' or --edges"},
            {{"inspect", "--nodes", "n.csv"}, "go with --edges FILE"},
            {{"inspect", "--edges", "e.csv", "--label", "topic"},
             "--categorical, --numeric and --ignore are about the columns of --nodes FILE, which is missing"},
            {{"inspect", "karate", "--synthetic", "nodes=9"},
             "--synthetic goes with the dataset 'synthetic'"},
            {{"weights", "karate", "--no-cache", "--cache-dir", "c"}, "exclude each other"},
            {{"data", "export", "karate", "--out", "x.npz"}, "--format is missing"},
            {{"data", "export", "karate", "--format", "npz"}, "--out is missing"},
            {{"data", "export", "karate", "--format", "xml", "--out", "x"},
             "--format: expected npz, csv or matrix-market"},
            {{"data", "export", "karate", "--format", "npz", "--out", "x.zip"}, "ends in .npz"},
            {{"data", "fetch", "cora", "--offline"}, "8 of 8 files are not usable"},
            {{"data", "fetch", "cora", "--mirror", "ftp://example.org"},
             "expected a URL with http:// or https://"},
            {{"data", "list", "--data-dir", "nowhere"}, "--data-dir nowhere: no such folder"},
        });
}

TEST(WrongUsage, AnOptionGivenTwiceIsRefusedBeforeAnythingIsRead) {
    expect_refused(
        User(),
        {
            {{"inspect", "--edges", "a.csv", "--edges", "b.csv"},
             "--edges was given 2 times ('a.csv', then 'b.csv'), but takes one value"},
            {{"train", "--edges", "a.csv", "--nodes", "n.csv", "--nodes", "m.csv"},
             "--nodes was given 2 times"},
            {{"train", "karate", "--seed", "1", "--epochs", "3", "--seed", "1"}, "--seed was given 2 times"},
            {{"evaluate", "karate", "--method", "gcn", "--method", "lp"}, "--method was given 2 times"},
            {{"weights", "karate", "--order=2", "--order", "3", "--order", "4"}, "--order was given 3 times"},
            {{"inspect", "karate", "--json", "a", "--json", "b"}, "--json was given 2 times"},
        });
}

TEST(WrongUsage, BadFilesAreNamedWithThePlace) {
    const User user;
    user.write("nodes.csv", "id,label,f\na,x,1\nb,y,-2\n");
    user.write("twice.csv", "id,f\na,1\na,1\n");
    user.write("edges.csv", "a,b\n");
    user.write("far.csv", "a,b\na,zebra\n");
    user.write("broken.npz", "PK\x03\x04 and then nothing");
    user.write("broken.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n9 9 1\n");
    user.write("note.txt", "hello");
    user.write("bare.csv", "id,label\na,x\nb,y\n");
    user.write("none.json", R"({"train": [], "validation": [], "test": ["1"]})");
    user.write("split.json", "{\"train\": [\"nobody\"], \"validation\": [], \"test\": []}");
    std::filesystem::create_directories(user.work() / "empty");
    expect_refused(
        user,
        {
            {{"inspect", "karate", "--scale", "standart"}, "did you mean 'standard'"},
            {{"inspect", "--edges", "edges.csv", "--nodes", "twice.csv"}, "twice.csv:3"},
            {{"inspect", "--edges", "far.csv", "--nodes", "nodes.csv", "--label", "nolabel"}, "nolabel"},
            {{"inspect", "--edges", "missing.csv"}, "missing.csv"},
            {{"inspect", "broken.npz"}, "broken.npz"},
            {{"weights", "broken.mtx"}, "broken.mtx:3"},
            {{"inspect", "./missing.npz"}, "no such file or folder"},
            {{"inspect", "note.txt"}, "is of no known kind"},
            {{"inspect", "./empty"}, "neither edges.csv and nodes.csv nor adjacency.mtx"},
            {{"data", "split", "karate", "--split", "split.json"}, "nobody"},
            {{"weights", "--edges", "edges.csv", "--structural-features", "off"},
             "the dataset has no features"},
            {{"train", "karate", "--structural-features", "some"}, "expected auto or off, got 'some'"},
            {{"train", "--edges", "edges.csv"}, "the dataset has no labels"},
            {{"train", "--edges", "edges.csv", "--nodes", "bare.csv", "--method", "hwgcn",
              "--structural-features", "off"},
             "the dataset has no features, and the higher-order operator learns from features; the methods "
             "lp"},
            {{"train", "karate", "--split", "none.json"}, "has no training nodes"},
            {{"train", "karate", "--split", "split.json"}, "nobody"},
        });
}

TEST(WrongUsage, OutputsThatCannotBeWrittenAreFoundBeforeTheWork) {
    const User user;
    user.write("file", "");
    std::filesystem::create_directories(user.work() / "folder");
    // Long enough to be noticed, should the work be done first.
    const std::vector<std::string> work = {"weights",      "synthetic", "--synthetic",
                                           "nodes=200000", "--order",   "4"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), work.begin(), work.end());
        return more;
    };
    expect_refused(user, {
                             {with({"--out", "folder"}), "--out folder: is a folder, expected a file name"},
                             {with({"--out", "folder/"}), "is a folder, expected a file name"},
                             {with({"--out", "file/w.npz"}), "is not a folder"},
                             {with({"--out", "/dev/null"}), "--out /dev/null: is not a regular file"},
                             {with({"--json", "folder"}), "--json folder: is a folder"},
                             {with({"--out", "w", "--json", "./w"}), "names the same file"},
                             {with({"--out-orders", "file/x"}), "--out-orders file/x2.npz"},
                             {{"data", "export", "karate", "--format", "csv", "--out", "file"},
                              "--out file: is a file, expected a folder"},
                         });
}

TEST(WrongUsage, HostileNamesDoNotReachTheTerminal) {
    const Outcome outcome = User().run({"inspect", "ka\033[31mrate\nx"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err.find('\033'), std::string::npos);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

TEST(FailedRun, AnUnreachableMirrorIsAFailureOfTheRunThatLeavesNoFiles) {
    if (libcurl_version() == "not built in") GTEST_SKIP() << "no downloads";
    const User user;
    const Outcome outcome = user.run({"data", "fetch", "cora", "--mirror", "http://127.0.0.1:9"});
    EXPECT_EQ(outcome.status, 1) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("cannot download ind.cora."));
    for (const std::string& name : user.files())
        EXPECT_EQ(name.find("ind."), std::string::npos) << name;
}

}  // namespace
}  // namespace hwgcn::testing::wrong_usage_test
