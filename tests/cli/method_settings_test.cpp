// A method owns its settings: what it does not read is refused, and its help lists what it has.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_program.hpp"

namespace hwgcn::testing::method_settings_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MethodSettings, WhatTheMethodDoesNotHaveIsRefusedWithWhatItHas) {
    const User user;
    const Outcome heads = user.run({"train", "karate", "--method", "gcn", "--heads", "3"});
    EXPECT_EQ(heads.status, 2);
    EXPECT_THAT(heads.err, HasSubstr("--heads: GCN does not have it"));
    for (const char* const option : {"--operator", "--layers", "--hidden", "--epochs", "--rate", "--l2"})
        EXPECT_THAT(heads.err, HasSubstr(option));
    const Outcome order = user.run({"train", "karate", "--method", "gcn", "--order", "4"});
    EXPECT_EQ(order.status, 2);
    EXPECT_THAT(order.err, HasSubstr("--order: GCN reads it only with --operator higher-order"));
    EXPECT_TRUE(user.files().empty() || user.files() == std::set<std::string>{"work"}) << "nothing was done";
}

TEST(MethodSettings, OfSeveralMethodsThoseThatReadASettingGetIt) {
    const User user;
    const std::vector<std::string> evaluate = {"evaluate", "karate", "--split",  "random:4:8:10",
                                               "--runs",   "1",      "--epochs", "3"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = evaluate;
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const nlohmann::json json = user.run_json(with({"--method", "gcn,gat", "--heads", "3"}));
    EXPECT_FALSE(json["results"][0]["settings"].contains("heads"));
    EXPECT_EQ(json["results"][1]["settings"]["heads"], "3");
    const Outcome none = user.run(with({"--method", "gcn,gat", "--sweeps", "3"}));
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("--sweeps: none of gcn, gat has it"));
}

TEST(MethodSettings, TheHelpOfTrainIsOneScreenAndThatOfAMethodAddsItsOwn) {
    const User user;
    const std::string all = user.run({"train", "--help"}).out;
    EXPECT_LE(std::ranges::count(all, '\n'), 75);
    EXPECT_THAT(all, Not(HasSubstr("--heads")));
    EXPECT_THAT(all, HasSubstr("add --method NAME to --help"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"train", "--method", "gat", "--help"},
          {"train", "--method=gat", "--help"},
          {"train", "--help", "--method", "gat"}}) {
        const std::string gat = user.run(words).out;
        EXPECT_THAT(gat, HasSubstr("Settings of GAT:\n"));
        EXPECT_THAT(gat, HasSubstr("--heads N"));
        EXPECT_THAT(gat, HasSubstr("learning rate (a number above 0 and up to 1000000; default 0.005)"));
        EXPECT_THAT(gat, Not(HasSubstr("--power-units")));
    }
    EXPECT_EQ(user.run({"train", "--method", "gta", "--help"}).status, 2);
    EXPECT_THAT(user.run({"evaluate", "--method", "lp,gat", "--help"}).out, HasSubstr("Settings of LP:\n"));
}

}  // namespace
}  // namespace hwgcn::testing::method_settings_test
