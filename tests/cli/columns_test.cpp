// Columns of node tables that are judged by their numbers, from the command line: ids, and logarithms.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/runs/run_folder.hpp"

#include "cli/run_program.hpp"
#include "runs/run_files.hpp"

namespace hwgcn::testing::columns_test {
namespace {

using ::testing::HasSubstr;

// Users of whom those with more views, of 6 to 10^8, are partners; edges join users with about as many views.
void write_users(const User& user) {
    constexpr int users = 300;
    std::string nodes = "name,id,partner,views,days\n";
    std::string edges = "from,to\n";
    for (int k = 0; k < users; ++k) {
        const double exponent = 7.2 * (k * 37 % users) / users;
        const bool partner = exponent + 0.35 * (k * 11 % 7 - 3) > 3.6;
        nodes += fmt::format("u{},{},{},{:.0f},{}\n", k, k * 7919 % 100003, partner ? "yes" : "no",
                             6 * std::pow(10, exponent), 20 + k * 13 % 57);
        for (const int step : {73, 146})
            edges += fmt::format("u{},u{}\n", k, (k + step) % users);
    }
    user.write("nodes.csv", nodes);
    user.write("edges.csv", edges);
}

std::vector<std::string> with_users(const std::string& command, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {command,     "--edges", "edges.csv", "--nodes",
                                      "nodes.csv", "--label", "partner"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(Columns, InspectShowsIdsAndLogarithms) {
    const User user;
    write_users(user);
    const Outcome outcome = user.run(with_users("inspect"));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("'id' is left out: 300 different whole numbers"));
    EXPECT_THAT(outcome.err, HasSubstr("(--numeric 'id' takes it nevertheless)"));
    EXPECT_THAT(outcome.err, HasSubstr("'views' goes over three powers of ten or more"));
    EXPECT_THAT(outcome.err, HasSubstr("(--scale standard: the numbers)"));
    EXPECT_THAT(outcome.out, HasSubstr("left out: 300 different ids"));
    EXPECT_THAT(outcome.out, HasSubstr(", as logarithms\n"));
    EXPECT_THAT(outcome.out, HasSubstr("2 numbers standardised (1 as logarithm)"));
    const Outcome plain = user.run(with_users("inspect", {"--scale", "standard", "--numeric", "id"}));
    EXPECT_THAT(plain.out, HasSubstr("3 numbers standardised\n"));
}

double accuracy(const User& user, const std::string& method, const std::string& scale) {
    const auto json = user.run_json(with_users(
        "train", {"--method", method, "--split", "shares:60:20", "--scale", scale, "--no-baselines"}));
    return json["metrics"]["test"]["accuracy"].get<double>();
}

TEST(Columns, LogarithmsTellApartWhatNumbersDoNot) {
    const User user;
    write_users(user);
    for (const std::string method : {"mlp", "gcn"})
        EXPECT_GT(accuracy(user, method, "auto"), accuracy(user, method, "standard") + 5) << method;
}

TEST(Columns, NewNodesAndTheRunItselfUseTheSameLogarithms) {
    const User user;
    write_users(user);
    const Outcome trained = user.run(with_users(
        "train", {"--method", "mlp", "--split", "shares:60:20", "--no-baselines", "--out", "run"}));
    ASSERT_EQ(trained.status, 0) << trained;
    user.write("new.csv", "name,views,days\nsame,6000000,33\n");
    user.write("links.csv", "from,to\n");
    const Outcome outcome =
        user.run({"predict", "run", "--add-nodes", "new.csv", "--add-edges", "links.csv"});
    ASSERT_EQ(outcome.status, 0) << outcome;
    const std::string table = content_of(user.path("run/predictions.csv"));
    EXPECT_THAT(outcome.out, ::testing::StartsWith(table)) << "old nodes keep their predictions";
    EXPECT_THAT(outcome.out, HasSubstr("\nsame,yes,"));
}

// Runs of earlier versions do not say how columns are judged: ids were features, and numbers stayed numbers.
TEST(Columns, RunsOfEarlierVersionsReadTheirTablesAsEver) {
    const User user;
    write_users(user);
    const std::vector<std::string> options = {"--method",       "mlp",  "--split", "shares:60:20",
                                              "--no-baselines", "--out"};
    std::vector<std::string> earlier = with_users("train", {"--scale", "standard", "--numeric", "id"});
    earlier.insert(earlier.end(), options.begin(), options.end());
    earlier.emplace_back("run");
    ASSERT_EQ(user.run(earlier).status, 0);
    const std::filesystem::path folder = user.path("run");
    RunManifest manifest = read_run(folder);
    const std::size_t forgotten = std::erase_if(manifest.given, [](const Setting& setting) {
        return setting.name == "scale" || setting.name == "numeric" || setting.name == "column_rules";
    });
    EXPECT_EQ(forgotten, 3U) << "a run says how columns are judged";
    add_baselines(folder, manifest, {});  // writes the manifest
    const Outcome outcome = user.run({"predict", "run"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_EQ(outcome.out, content_of(user.path("run/predictions.csv")));
}

TEST(Columns, WhatTheyAreIsSaidOnce) {
    const User user;
    write_users(user);
    const Outcome outcome = user.run(with_users("inspect", {"--numeric", "id", "--ignore", "id"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("'id' is in --numeric and in --ignore"));
}

}  // namespace
}  // namespace hwgcn::testing::columns_test
