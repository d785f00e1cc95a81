// What bad files, names and settings are answered by: the right status, and a message that is safe to show.

#include <algorithm>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::bad_input_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

// No control character but the ends of lines, nothing that is not ASCII.
bool is_harmless(const std::string& text) {
    return std::ranges::all_of(text, [](char byte) { return byte == '\n' || (byte >= ' ' && byte < 0x7F); });
}

void expect_refused(const Outcome& outcome, int status, const std::vector<std::string>& parts) {
    EXPECT_EQ(outcome.status, status) << outcome;
    for (const std::string& part : parts)
        EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_TRUE(is_harmless(outcome.err)) << outcome.err;
}

TEST(BadInput, DeeplyNestedJsonIsRefusedByName) {
    const User user;
    const std::string lists = std::string(160'000, '[') + std::string(160'000, ']');
    const std::vector<std::string> texts = {lists,
                                            R"({"results":)" + lists + "}",
                                            R"({"cells":)" + lists + "}",
                                            R"({"sha256":)" + lists + "}",
                                            R"({"train":)" + lists + "}",
                                            std::string(160'000, '[')};
    fs::create_directories(user.work() / "run");
    for (const std::string& text : texts) {
        user.write("deep.json", text);
        user.write("run/run.json", text);
        expect_refused(user.run({"report", "deep.json", "--out", "p.html"}), 2,
                       {"deep.json: is nested deeper than"});
        expect_refused(user.run({"train", "karate", "--split", "deep.json"}), 2,
                       {"deep.json: is nested deeper than"});
        for (const std::string command : {"predict", "report", "explain"})
            expect_refused(user.run({command, "run", "--out", "o"}), 2, {});
        expect_refused(user.run({"predict", "run", "--out", "o.csv"}), 2,
                       {"run.json: is nested deeper than"});
    }
}

TEST(BadInput, DivergenceIsAFailedRunThatNamesTheEpochAndTheOption) {
    const User user;
    const std::vector<std::string> how = {"--optimizer", "gradient-descent", "--rate", "1e6", "--l2",
                                          "1e6",         "--epochs",         "5"};
    for (const std::string method : {"mlp", "gcn", "hwgcn", "gat", "mixhop", "sgc", "appnp", "hwgpr",
                                     "semiemb", "planetoid", "hwgcn-wide"}) {
        for (const std::string split : {"all", "random:4:8:12"}) {
            std::vector<std::string> words = {"train",   "karate", "--method", method,
                                              "--split", split,    "--out",    method};
            words.insert(words.end(), how.begin(), how.end());
            words.push_back("--force");
            expect_refused(user.run(words), 1, {": training diverged at epoch ", "a smaller --rate helps"});
            EXPECT_FALSE(fs::exists(user.work() / method / "model.npz"));
            EXPECT_FALSE(fs::exists(user.work() / method / "predictions.csv"));
        }
    }
    expect_refused(user.run({"train", "karate", "--method", "mlp", "--optimizer", "gradient-descent",
                             "--rate", "1e6", "--epochs", "5", "--split", "all"}),
                   1, {"MLP: training diverged at epoch ", "a smaller --rate helps"});
    expect_refused(user.run({"train", "karate", "--method", "deepwalk", "--walk-rate", "10"}), 1,
                   {"DeepWalk: ", "diverged", "a smaller --walk-rate helps"});
    expect_refused(user.run({"evaluate", "karate", "--method", "lp,gcn", "--optimizer", "gradient-descent",
                             "--rate", "1e6", "--l2", "1e6", "--epochs", "5", "--runs", "2"}),
                   1, {"GCN: training diverged at epoch "});
}

TEST(BadInput, AutoLeavesOutWhatDiverges) {
    const User user;
    const std::vector<std::string> how = {"--method", "auto", "--optimizer", "gradient-descent",
                                          "--rate",   "1e6",  "--l2",        "1e6",
                                          "--epochs", "5",    "--split"};
    std::vector<std::string> words = {"train", "karate"};
    words.insert(words.end(), how.begin(), how.end());
    for (const std::string split : {"all", "random:4:8:12"}) {
        std::vector<std::string> all = words;
        all.push_back(split);
        const nlohmann::json result = user.run_json(all);
        EXPECT_EQ(result["method"], "diffusion");
        const std::string notes = result["notes"].dump();
        EXPECT_THAT(notes, HasSubstr("GCN: training diverged at epoch "));
        EXPECT_THAT(notes, HasSubstr("auto leaves it out"));
    }
}

// Ids in Latin-1, which no JSON can hold.
void write_latin1(const User& user) {
    std::string edges = "source,target\n";
    std::string nodes = "id,label\n";
    for (int k = 0; k < 12; ++k) {
        const std::string id = "J\xf6rg" + std::to_string(k);
        nodes += id + (k % 2 == 0 ? ",a\n" : ",b\n");
        edges += id + ",J\xf6rg" + std::to_string((k + 2) % 12) + "\n";
    }
    user.write("edges.csv", edges);
    user.write("nodes.csv", nodes);
}

TEST(BadInput, IdsThatARunCannotHoldAreRefusedBeforeAMethodIsChosen) {
    const User user;
    write_latin1(user);
    const Outcome outcome =
        user.run({"train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--out", "run", "--epochs", "5"});
    expect_refused(outcome, 2,
                   {"split.json: cannot be written: the node id 'J\\xf6rg0' is not valid UTF-8",
                    "iconv -f latin1 -t utf-8"});
    EXPECT_FALSE(fs::exists(user.work() / "run"));
    const Outcome kept_nowhere =
        user.run({"train", "--edges", "edges.csv", "--nodes", "nodes.csv", "--epochs", "5"});
    EXPECT_EQ(kept_nowhere.status, 0) << kept_nowhere;
}

TEST(BadInput, AFileNameThatIsNotUtf8IsCalledOne) {
    const User user;
    user.write("caf\xe9.csv", "source,target\na,b\nb,c\nc,d\n");
    user.write("nodes.csv", "id,label\na,x\nb,y\nc,x\nd,y\n");
    const Outcome outcome = user.run(
        {"train", "--edges", "caf\xe9.csv", "--nodes", "nodes.csv", "--out", "run", "--split", "all"});
    expect_refused(outcome, 2, {"caf\\xe9.csv' is not valid UTF-8", "give the file or folder another name"});
    EXPECT_THAT(outcome.err, Not(HasSubstr("node id")));
    expect_refused(user.run({"inspect", "--edges", "b\xe9\x1b[2J.csv"}), 2,
                   {"b\\xe9\\x1b[2J.csv: cannot open"});
}

TEST(BadInput, MessagesEchoNoRawBytes) {
    const User user;
    const std::string evil = "\x1b]0;owned\x07\xff\xc2\x9b\xe2\x80\xae";
    user.write("edges.csv", "source,target\na," + evil + "\n");
    user.write("nodes.csv", "id,label\na,x\nb,y\n");
    user.write("evil.json", "{\"" + evil + "\": 1}");
    user.write("evil.npz", evil);
    user.write("evil.mtx", "%%MatrixMarket matrix " + evil + " real general\n1 1 1\n1 1 1\n");
    const std::vector<std::vector<std::string>> commands = {
        {"inspect", "--edges", "edges.csv", "--nodes", "nodes.csv"},
        {"inspect", "./evil.npz"},
        {"inspect", "./evil.mtx"},
        {"inspect", evil},
        {"inspect", "karate", "--" + evil},
        {"report", "evil.json", "--out", "p.html"},
        {"train", "karate", "--split", "evil.json"},
        {"train", "karate", "--method", evil},
        {"train", "karate", "--rate", evil},
        {"predict", evil, "--out", "o.csv"},
        {evil},
    };
    for (const std::vector<std::string>& command : commands) {
        const Outcome outcome = user.run(command);
        EXPECT_EQ(outcome.status, 2) << outcome;
        EXPECT_TRUE(is_harmless(outcome.err)) << outcome.err;
        EXPECT_TRUE(outcome.err.starts_with("hwgcn: ")) << outcome.err;
    }
}

TEST(BadInput, JsonIsHarmlessOnATerminal) {
    const User user;
    user.write("edges.csv", "source,target\na,b\nb,c\n");
    user.write("nodes.csv", "id,label\na,x\xff\xc2\x9b\nb,y\xe2\x80\xae\nc,x\xff\xc2\x9b\n");
    const Outcome outcome =
        user.run({"inspect", "--edges", "edges.csv", "--nodes", "nodes.csv", "--json", "-"});
    ASSERT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("\\u009b"), HasSubstr("\\u202e"), Not(HasSubstr("\xe2\x80\xae"))));
    EXPECT_NO_THROW(nlohmann::json::parse(outcome.out));
}

TEST(BadInput, AnUnknownOptionSuggestsWhatDecides) {
    const User user;
    expect_refused(user.run({"inspect", "karate", "--ring", "3"}), 2,
                   {"unknown option '--ring', did you mean '--max-ring' or '--sample-ring'?"});
    for (const char* const command : {"weights", "inspect"}) {
        expect_refused(user.run({command, "karate", "--seed", "3"}), 2,
                       {"unknown option '--seed'", "has no seed", "--synthetic seed=N"});
    }
    expect_refused(user.run({"data", "list", "--seed=3"}), 2, {"hwgcn data list has no seed"});
    expect_refused(user.run({"train", "karate", "--random-state", "3"}), 2, {"did you mean '--seed'?"});
    expect_refused(user.run({"train", "karate", "--", "--"}), 2, {});
}

// The same program, by a user whom permissions bind. Status 126 where that user cannot start it.
Outcome run_without_privileges(const User& user, const std::vector<std::string>& arguments) {
    if (::geteuid() != 0) return user.run(arguments);
    const std::string out = (user.work().parent_path() / "stdout").string();
    const std::string err = (user.work().parent_path() / "stderr").string();
    std::vector<std::string> words = {HWGCN_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t process = ::fork();
    if (process == 0) {
        constexpr int create = O_WRONLY | O_CREAT | O_TRUNC;
        constexpr uid_t nobody = 65534;
        ::dup2(::open(out.c_str(), create, 0600), STDOUT_FILENO);
        ::dup2(::open(err.c_str(), create, 0600), STDERR_FILENO);
        const bool dropped = ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
        if (dropped && ::chdir(user.work().c_str()) == 0) ::execv(HWGCN_PROGRAM, pointers.data());
        ::_exit(126);
    }
    return user.finish(process);
}

TEST(BadInput, ACompleteDataFolderNeedNotBeWritable) {
    const auto data = HWGCN_REAL_DATA();
    const User user;
    fs::create_directories(user.work() / "data/planetoid");
    for (const fs::directory_entry& entry : fs::directory_iterator(data / "planetoid")) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("ind.cora.")) fs::copy_file(entry.path(), user.work() / "data/planetoid" / name);
    }
    const auto allow = [](const fs::path& path, unsigned mode) { fs::permissions(path, fs::perms(mode)); };
    allow(user.work().parent_path(), 0755);
    for (const char* folder : {"data/planetoid", "data"})
        allow(user.work() / folder, 0555);
    const Outcome complete = run_without_privileges(user, {"data", "fetch", "cora", "--data-dir", "data"});
    const Outcome lacking = run_without_privileges(user, {"data", "fetch", "pubmed", "--data-dir", "data"});
    for (const char* folder : {"data", "data/planetoid"})
        allow(user.work() / folder, 0755);
    if (complete.status == 126) GTEST_SKIP() << "skipped: nobody cannot start " HWGCN_PROGRAM;
    EXPECT_EQ(complete.status, 0) << complete;
    expect_refused(lacking, 2, {"--data-dir data: cannot write in ", "Permission denied"});
}

}  // namespace
}  // namespace hwgcn::testing::bad_input_test
