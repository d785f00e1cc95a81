#include <algorithm>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::help_test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::vector<std::string>> leaf_commands = {
    {"info"},    {"data", "list"}, {"data", "fetch"}, {"data", "export"}, {"data", "split"},
    {"inspect"}, {"weights"},      {"train"},         {"predict"},        {"shard"}};

TEST(Help, EveryCommandExplainsItselfWithExamplesInAHundredColumns) {
    const User user;
    for (std::vector<std::string> command : leaf_commands) {
        std::string path = "hwgcn";
        for (const std::string& word : command)
            path += " " + word;
        command.push_back("--help");
        const Outcome outcome = user.run(command);
        EXPECT_EQ(outcome.status, 0) << outcome;
        EXPECT_EQ(outcome.err, "");
        EXPECT_THAT(outcome.out, HasSubstr("Usage: " + path));
        EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  " + path));
        for (const char* const option : {"--json", "--threads", "--quiet", "--data-dir"})
            EXPECT_THAT(outcome.out, HasSubstr(option)) << path;
        std::istringstream lines(outcome.out);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), 100U) << line;
    }
}

// An option with a line of its own.
std::set<std::string> explained_options(const std::string& help) {
    std::set<std::string> options;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("  -h,")) line.erase(2, 3);
        if (!line.starts_with("  --")) continue;
        options.insert(line.substr(2, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", 2) - 2));
    }
    return options;
}

TEST(Help, IsShortAndNamesWhatTheLongOneExplains) {
    const User user;
    std::vector<std::vector<std::string>> commands = leaf_commands;
    for (const char* const name : {"explain", "report", "evaluate", "reproduce"})
        commands.push_back({name});
    for (std::vector<std::string> command : commands) {
        command.push_back("--help");
        const std::string brief = user.run(command).out;
        EXPECT_LE(std::ranges::count(brief, '\n'), 75) << brief;
        command.back() = "--help-all";
        const Outcome whole = user.run(command);
        EXPECT_EQ(whole.status, 0) << whole;
        const std::set<std::string> options = explained_options(whole.out);
        for (const std::string& option : explained_options(brief))
            EXPECT_TRUE(options.contains(option)) << option;
        for (const std::string& option : options)
            EXPECT_THAT(brief, HasSubstr(option)) << "each is named, at least";
        EXPECT_THAT(whole.out, ::testing::Not(HasSubstr("(rare)")));
    }
    const std::set<std::string> of_train = explained_options(user.run({"train", "--help-all"}).out);
    for (const char* const option : {"--edges", "--bins", "--undirected", "--no-cache", "--max-classes"})
        EXPECT_TRUE(of_train.contains(option)) << option;
    EXPECT_THAT(user.run({"train", "--help-all"}).out, HasSubstr("\n  gcn           graph convolution"));
    EXPECT_THAT(user.run({"train", "--help"}).out, HasSubstr("gcn, gat"));
}

TEST(Help, TheProgramListsItsCommands) {
    const User user;
    const Outcome outcome = user.run({"--help"});
    EXPECT_EQ(outcome.status, 0);
    for (const char* const command : {"info", "data", "inspect", "weights", "train", "predict"})
        EXPECT_THAT(outcome.out, HasSubstr(std::string("\n  ") + command + " "));
    EXPECT_EQ(user.run({"-h"}).out, outcome.out);
}

TEST(Help, CalledWithoutACommandTheProgramShowsTheHelpAndFails) {
    const User user;
    const Outcome alone = user.run({});
    EXPECT_EQ(alone.status, 2);
    EXPECT_EQ(alone.out, user.run({"--help"}).out);
    const Outcome data = user.run({"data"});
    EXPECT_EQ(data.status, 2);
    EXPECT_THAT(data.out, HasSubstr("Usage: hwgcn data COMMAND"));
}

TEST(Help, TheVersionIsPrinted) {
    const Outcome outcome = User().run({"--version"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, ::testing::MatchesRegex("hwgcn [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

// A batch system allots some cores of a machine: the program inherits them, and counts no others.
TEST(Info, CountsTheCoresThatItMayUse) {
    cpu_set_t allotted;
    ASSERT_EQ(::sched_getaffinity(0, sizeof allotted, &allotted), 0);
    int first = 0;
    while (!CPU_ISSET(first, &allotted))
        ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const nlohmann::json confined = User().run_json({"info"});
    ASSERT_EQ(::sched_setaffinity(0, sizeof allotted, &allotted), 0);
    EXPECT_EQ(confined.at("threads"), 1);
    EXPECT_EQ(User().run_json({"info"}).at("threads"), CPU_COUNT(&allotted));
}

TEST(Info, TheJsonHasWhatAReportOfAProblemNeeds) {
    const nlohmann::json info = User().run_json({"info", "--threads", "3"});
    for (const char* const key : {"version", "compiler", "build_type", "instruction_set", "instruction_sets",
                                  "backends", "threads", "data_directory", "cache_directory", "libraries"})
        EXPECT_TRUE(info.contains(key)) << key;
    EXPECT_EQ(info["threads"], 3);
    EXPECT_EQ(info["instruction_set"], info["instruction_sets"][0]);
    EXPECT_TRUE(info["libraries"].contains("zlib"));
}

TEST(Info, TheParametersCanBeReadByPrograms) {
    const nlohmann::json parameters = User().run_json({"info", "--parameters"});
    EXPECT_EQ(parameters["weights"][0]["name"], "order");
    EXPECT_EQ(parameters["weights"][0]["default"], "2");
    EXPECT_EQ(parameters["synthetic"][0]["name"], "nodes");
}

TEST(Info, TheDataDirectoryIsTheOptionElseTheVariableElseTheDataHome) {
    const User user;
    const auto directory = [&](const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment) {
        return user.run(arguments, environment).out;
    };
    std::filesystem::create_directories(user.work() / "mine");
    EXPECT_THAT(directory({"info", "--data-dir", user.path("mine")}, {"HWGCN_DATA=/elsewhere"}),
                HasSubstr(user.path("mine")));
    EXPECT_THAT(directory({"info"}, {"HWGCN_DATA=/elsewhere"}), HasSubstr("data directory    /elsewhere\n"));
    EXPECT_THAT(directory({"info"}, {}), HasSubstr("/data/hwgcn\n"));
    // By the rules of XDG a relative path does not count.
    EXPECT_THAT(directory({"info"}, {"XDG_DATA_HOME=relative"}), HasSubstr("/data/hwgcn\n"));
}

TEST(Info, TheDocumentedParametersAreThoseOfTheProgram) {
    const Outcome outcome = User().run({"info", "--parameters"});
    EXPECT_EQ(outcome.out, content_of(std::filesystem::path(HWGCN_SOURCE_DIR) / "docs" / "parameters.md"))
        << "write it again: hwgcn info --parameters > docs/parameters.md";
}

}  // namespace
}  // namespace hwgcn::testing::help_test
