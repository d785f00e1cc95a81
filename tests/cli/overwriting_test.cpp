// No command writes over a file that it reads, by whatever name it is given.
#include <filesystem>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "run_program.hpp"

namespace hwgcn::testing::overwriting_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* edges = "source,target\na,b\nb,c\nc,a\nc,d\nd,e\ne,f\nf,d\n";
constexpr const char* nodes =
    "id,label,x,y\na,one,1,0\nb,one,1,0\nc,one,1,1\nd,two,0,1\ne,two,0,1\nf,two,0,1\n";

class OverwritingTest : public ::testing::Test {
  protected:
    OverwritingTest() {
        user.write("edges.csv", edges);
        user.write("nodes.csv", nodes);
        fs::create_hard_link(user.path("nodes.csv"), user.path("hard.csv"));
        fs::create_symlink("nodes.csv", user.path("soft.csv"));
    }

    // With the dataset behind it.
    std::vector<std::string> on_own_data(std::vector<std::string> words) const {
        words.insert(words.end(), {"--edges", "edges.csv", "--nodes", "nodes.csv"});
        return words;
    }

    std::vector<std::string> training(const std::string& folder) const {
        return on_own_data({"train", "--method", "mlp", "--epochs", "3", "--split", "all", "--out", folder});
    }

    // Refused before anything is done, and nothing has changed.
    void expect_refused(const std::vector<std::string>& words, const std::string& message) const {
        const std::set<std::string> before = user.files();
        const Outcome outcome = user.run(words);
        EXPECT_EQ(outcome.status, 2) << outcome << ::testing::PrintToString(words);
        EXPECT_THAT(outcome.err, HasSubstr(message));
        EXPECT_EQ(content_of(user.path("edges.csv")), edges);
        EXPECT_EQ(content_of(user.path("nodes.csv")), nodes);
        EXPECT_EQ(user.files(), before);
    }

    const std::string reads = "is a file that this command reads";
    User user;
};

TEST_F(OverwritingTest, InputsStay) {
    for (const std::string name : {"nodes.csv", "edges.csv", "./nodes.csv", "hard.csv", "soft.csv"}) {
        expect_refused(on_own_data({"weights", "--out", name}), reads);
        expect_refused(on_own_data({"data", "split", "--split", "random:1:1:1", "--out", name}), reads);
        expect_refused(on_own_data({"inspect", "--json", name}), reads);
        expect_refused(on_own_data({"evaluate", "--json", name}), reads);
        expect_refused(on_own_data({"evaluate", "--journal", name}), reads);
        expect_refused(on_own_data({"train", "--json", name}), reads);
        expect_refused(on_own_data({"data", "export", "--format", "csv", "--out", "x", "--json", name}),
                       reads);
    }
}

TEST_F(OverwritingTest, ExportDoesNotReplaceWhatItReads) {
    expect_refused(on_own_data({"data", "export", "--format", "csv", "--out", "."}), reads);
    expect_refused(on_own_data({"data", "export", "--format", "csv", "--out", ".", "--force"}), reads);
    expect_refused({"data", "export", ".", "--format", "csv", "--out", "."}, reads);
}

TEST_F(OverwritingTest, ExportReplacesOtherFilesOnlyWithForce) {
    fs::create_directory(user.path("other"));
    user.write("other/edges.csv", "mine");
    const std::vector<std::string> words = {"data", "export", "karate", "--format", "csv", "--out", "other"};
    expect_refused(words, "other/edges.csv is there already; --force replaces it");
    EXPECT_EQ(content_of(user.path("other/edges.csv")), "mine");
    EXPECT_FALSE(fs::exists(user.path("other/nodes.csv")));
    std::vector<std::string> forced = words;
    forced.push_back("--force");
    EXPECT_EQ(user.run(forced).status, 0);
    EXPECT_THAT(content_of(user.path("other/edges.csv")), HasSubstr("source,target"));
    user.write("karate.npz", "mine");
    expect_refused({"data", "export", "karate", "--format", "npz", "--out", "karate.npz"},
                   "--force replaces it");
}

TEST_F(OverwritingTest, SplitFilesStay) {
    ASSERT_EQ(user.run(on_own_data({"data", "split", "--split", "random:1:1:1", "--out", "s.json"})).status,
              0);
    expect_refused(on_own_data({"data", "split", "--split", "s.json", "--out", "s.json"}), reads);
    expect_refused(on_own_data({"train", "--split", "s.json", "--json", "s.json"}), reads);
    expect_refused(on_own_data({"evaluate", "--split", "s.json", "--json", "s.json"}), reads);
}

TEST_F(OverwritingTest, RunsAndTheirDataStay) {
    ASSERT_EQ(user.run(training("run")).status, 0);
    for (const std::string name :
         {"run/model.npz", "run/run.json", "run/predictions.csv", "nodes.csv", "hard.csv"}) {
        expect_refused({"predict", "run", "--out", name}, reads);
        expect_refused({"predict", "run", "--json", name}, reads);
        expect_refused({"explain", "run", "--node", "a", "--json", name}, reads);
        expect_refused({"report", "run", "--out", name}, reads);
        expect_refused({"report", "run", "--out", "page.html", "--json", name}, reads);
    }
    EXPECT_EQ(user.run({"predict", "run", "--out", "fresh.csv"}).status, 0);
}

TEST_F(OverwritingTest, AResultDoesNotReplaceAFileOfTheRun) {
    std::vector<std::string> words = training("run");
    words.insert(words.end(), {"--json", "run/run.json"});
    expect_refused(words, "names the same file");
    words.back() = "run/result.json";
    EXPECT_EQ(user.run(words).status, 0);
}

TEST_F(OverwritingTest, AFolderInUseIsRefusedAndSaysByWhom) {
    fs::create_directory(user.path("run"));
    const int other = ::open(user.path("run/run.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
    ASSERT_EQ(::write(other, "process 7 on elsewhere since today", 34), 34);
    const Outcome outcome = user.run(training("run"));
    EXPECT_EQ(outcome.status, 2) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("run: is in use by process 7 on elsewhere since today"));
    ::close(other);
    EXPECT_EQ(user.run(training("run")).status, 0) << "a lock that is not held is none";
    EXPECT_FALSE(fs::exists(user.path("run/run.lock")));
}

TEST_F(OverwritingTest, WhatAKilledTrainingLeftBlocksNothing) {
    fs::create_directory(user.path("run"));
    user.write("run/model.npz.0123456789abcdef.partial", "half");
    user.write("run/run.lock", "process 7 on elsewhere since yesterday");
    EXPECT_EQ(user.run(training("run")).status, 0);
    EXPECT_FALSE(fs::exists(user.path("run/model.npz.0123456789abcdef.partial")));
    fs::create_directory(user.path("mine"));
    user.write("mine/predictions.csv", "a person's own");
    expect_refused(training("mine"), "holds other files");
}

TEST_F(OverwritingTest, AFailedTrainingLeavesNoFolder) {
    expect_refused({"train", "nowhere.npz", "--out", "run"}, "nowhere.npz");
}

}  // namespace
}  // namespace hwgcn::testing::overwriting_test
