#include "hwgcn/models/methods.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "models/method_table.hpp"
#include "operators/propagation.hpp"
#include "training/fit_options.hpp"

namespace hwgcn::methods_test {
namespace {

using ::testing::HasSubstr;

TEST(Methods, HaveDistinctNamesAndSettingsForEveryDataset) {
    std::set<std::string> names;
    for (const MethodInfo& method : method_table()) {
        EXPECT_TRUE(names.insert(method.name).second) << method.name;
        EXPECT_FALSE(method.description.empty());
        for (const char* dataset : {"cora", "citeseer", "pubmed", "my_data"}) {
            const MethodSettings settings(method.name, dataset);
            EXPECT_NO_THROW(validate_options(settings.weights())) << method.name << ' ' << dataset;
            EXPECT_NO_THROW(settings.fit()) << method.name << ' ' << dataset;
        }
    }
}

TEST(Methods, HwgcnIsGcnOnTheHigherOrderOperator) {
    MethodSettings gcn("gcn", "cora");
    EXPECT_EQ(gcn.operator_kind(), OperatorKind::plain);
    gcn.apply({{"operator", "higher-order"}});
    const MethodSettings hwgcn("hwgcn", "cora");
    EXPECT_EQ(gcn.network(), hwgcn.network());
    EXPECT_EQ(gcn.effective(), hwgcn.effective());
}

TEST(Methods, ThePublishedOrdersFollowTheDataset) {
    EXPECT_EQ(MethodSettings("hwgcn", "cora").weights().order, 6);
    EXPECT_EQ(MethodSettings("hwgcn", "citeseer").weights().order, 6);
    EXPECT_EQ(MethodSettings("hwgcn", "pubmed").weights().order, 5);
    EXPECT_EQ(MethodSettings("hwgcn", "pubmed").weights().keep, (std::vector<double>{0.2, 0.1, 0.05, 0.05}));
    EXPECT_EQ(MethodSettings("hwgpr", "pubmed").weights().keep, (std::vector<double>{0.2, 0.1, 0.05}));
    EXPECT_TRUE(MethodSettings("hwgcn", "cora").weights().keep.empty());
}

TEST(Methods, HwgprLeavesOutSmallWeightsWhereRunsTakeLong) {
    const MethodSettings cora("hwgpr", "cora"), pubmed("hwgpr", "pubmed"), other("hwgpr", "my_data");
    EXPECT_EQ(cora.propagation().least_share, 0);
    EXPECT_EQ(pubmed.propagation().least_share, 0.001);
    EXPECT_EQ(other.propagation().least_share, 0.001);
    EXPECT_EQ(cora.fit().epochs, 300);
    EXPECT_EQ(pubmed.fit().epochs, 200);
    EXPECT_EQ(other.fit().epochs, 300);
    // A run from before lists what it was trained with, and no share.
    const MethodSettings before = MethodSettings::from_listed(
        {{"method", "hwgpr"}, {"operator", "higher-order"}, {"epochs", "300"}, {"rate", "0.01"}}, "pubmed",
        false);
    EXPECT_EQ(before.propagation().least_share, 0);
    EXPECT_EQ(before.fit().epochs, 300);
    EXPECT_EQ(before.fit().rate, 0.01);
}

TEST(Methods, AnotherOrderKeepsThePublishedShares) {
    MethodSettings settings("hwgcn", "pubmed");
    settings.apply({{"order", "3"}});
    EXPECT_EQ(settings.weights().keep, (std::vector<double>{0.2, 0.1}));
    settings = MethodSettings("hwgcn", "pubmed");
    settings.apply({{"order", "7"}});
    EXPECT_EQ(settings.weights().keep, (std::vector<double>{0.2, 0.1, 0.05, 0.05, 0.05, 0.05}));
    EXPECT_NO_THROW(validate_options(settings.weights()));
}

TEST(Methods, SharesThatWereGivenAreNotMadeToFit) {
    MethodSettings settings("hwgcn", "cora");
    settings.apply({{"order", "4"}, {"keep", "0.2"}});
    EXPECT_THROW(validate_options(settings.weights()), InputError);
}

TEST(Methods, SettingsOfEveryGroupCanBeChanged) {
    MethodSettings settings("gcn", "cora");
    settings.apply({{"order", "4"},
                    {"operator", "higher-order"},
                    {"orientation", "transposed"},
                    {"hidden", "3.2e1"},
                    {"rate", "0.1"}});
    EXPECT_EQ(settings.weights().order, 4);
    EXPECT_EQ(settings.propagation().orientation, Orientation::transposed);
    EXPECT_EQ(settings.value("hidden"), "32");
    EXPECT_EQ(settings.fit().rate, 0.1);
}

TEST(Methods, OptionsFollowTheTexts) {
    const MethodSettings published("gcn", "cora");
    MethodSettings settings = published;
    settings.apply({{"operator", "higher-order"}, {"hidden", "3"}, {"epochs", "7"}});
    EXPECT_THROW(settings.apply({{"epochs", "8"}, {"heads", "2"}}), InputError);
    const auto units = [](const MethodSettings& method) {
        return make_network(method, {5, 2, 9})->initial_parameters(0).front().value.columns();
    };
    EXPECT_EQ(settings.operator_kind(), OperatorKind::higher_order);
    EXPECT_EQ(settings.fit().epochs, 7);
    EXPECT_EQ(units(settings), 3);
    EXPECT_EQ(published.operator_kind(), OperatorKind::plain);
    EXPECT_EQ(published.fit().epochs, 200);
    EXPECT_EQ(units(published), 16);
}

template <typename Action>
std::string message_of(const Action& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was thrown";
}

std::string refusal(const std::string& method, const std::vector<Setting>& changes) {
    MethodSettings settings(method, "cora");
    const std::vector<Setting> before = settings.effective();
    std::string message = message_of([&] { settings.apply(changes); });
    if (message != "nothing was thrown") {
        EXPECT_TRUE(settings.effective() == before) << "a refusal changes nothing";
    }
    return message;
}

TEST(Methods, WrongNamesAndValuesAreExplained) {
    EXPECT_THAT(message_of([] { MethodSettings("hwgnc", "cora"); }), HasSubstr("hwgcn"));
    EXPECT_THAT(message_of([] { asked_method("atuo", "cora"); }), HasSubstr("auto"));
    EXPECT_THAT(refusal("gcn", {{"hiden", "3"}}), HasSubstr("hidden"));
    EXPECT_THAT(refusal("gcn", {{"hidden", "-3"}}), HasSubstr("whole number"));
}

TEST(Methods, WhatAMethodDoesNotReadIsRefusedWithWhatItHas) {
    EXPECT_EQ(refusal("gcn", {{"heads", "3"}}),
              "`heads`: GCN does not have it; with these settings it has `operator`, `layers`, `hidden`, "
              "`input_dropout`, `hidden_dropout`, `epochs`, `optimizer`, `rate`, `l2`, `rate_decay`, "
              "`rate_interval`, `selection`, `scheme`, `self_training`, `patience`, `device`");
    EXPECT_EQ(refusal("gcn", {{"order", "4"}}), "`order`: GCN reads it only with `operator=higher-order`");
    EXPECT_EQ(refusal("gcn", {{"lambda", "4"}}), "`lambda`: GCN reads it only with `operator=higher-order`");
    EXPECT_EQ(refusal("hwgcn", {{"lambda", "4"}}), "`lambda`: HWGCN reads it only with `weighting=lasso`");
    EXPECT_EQ(refusal("gcn", {{"self_training_weight", "2"}}),
              "`self_training_weight`: GCN reads it only with `self_training` other than 0");
    EXPECT_THAT(refusal("mlp", {{"operator", "higher-order"}}), HasSubstr("MLP does not have it"));
    EXPECT_THAT(refusal("lp", {{"epochs", "4"}}), HasSubstr("it has `operator`, `lp_rule`"));
    EXPECT_THAT(refusal("lp", {{"lp_share", "0.5"}}), HasSubstr("`lp_rule=spreading`"));
    EXPECT_EQ(refusal("gcn", {{"operator", "higher-order"}, {"order", "4"}}), "nothing was thrown");
    EXPECT_EQ(refusal("lp", {{"lp_share", "0.5"}, {"lp_rule", "spreading"}}), "nothing was thrown");
}

TEST(Methods, OfSeveralThoseThatReadASettingGetIt) {
    std::vector<AskedMethod> methods = {asked_method("gcn", "cora"), asked_method("gat", "cora")};
    apply_settings(methods, {{"heads", "3"}, {"hidden", "5"}});
    EXPECT_EQ(std::get<MethodSettings>(methods[0]).value("hidden"), "5");
    EXPECT_EQ(std::get<MethodSettings>(methods[1]).value("hidden"), "5");
    EXPECT_EQ(std::get<MethodSettings>(methods[1]).value("heads"), "3");
    EXPECT_EQ(message_of([&] {
                  apply_settings(methods, {{"hidden", "6"}, {"order", "3"}});
              }),
              "`order`: GCN reads it only with `operator=higher-order`");
    EXPECT_EQ(std::get<MethodSettings>(methods[0]).value("hidden"), "5") << "all or nothing";
    EXPECT_EQ(message_of([&] {
                  apply_settings(methods, {{"sweeps", "3"}});
              }),
              "`sweeps`: none of gcn, gat has it");
    methods = {asked_method("gcn", "cora"), asked_method("hwgcn", "cora"), asked_method("hwgpr", "cora")};
    EXPECT_EQ(message_of([&] {
                  apply_settings(methods, {{"operator", "plain"}, {"order", "3"}});
              }),
              "`order`: GCN reads it only with `operator=higher-order`");
    EXPECT_EQ(message_of([&] {
                  apply_settings(methods, {{"lambda", "3"}});
              }),
              "`lambda`: HWGCN reads it only with `weighting=lasso`")
        << "the method that lacks least";
}

TEST(Methods, TheHashKnowsEverySettingThatIsRead) {
    const MethodSettings settings("hwgcn", "cora");
    std::set<std::string> hashes = {settings_hash(settings)};
    for (const ParameterInfo& parameter : parameters_of("hwgcn")) {
        for (const char* text : {"plain", "0.125", "3", "uniform", "power", "symmetric", "loss",
                                 "consistency", "gradient-descent"}) {
            MethodSettings changed = settings;
            const std::optional<std::string> value = parameter.normalized(text);
            if (!value || !settings.reads(parameter.name) || value == settings.value(parameter.name))
                continue;
            changed.apply({{parameter.name, text}});
            EXPECT_TRUE(hashes.insert(settings_hash(changed)).second) << parameter.name;
            break;
        }
    }
    // The first, and those of min_weight, sample_ring and least_share, listed where they are changed.
    EXPECT_EQ(hashes.size(), settings.effective().size() + 4);
}

// A method that is added later, or a parameter of another one, changes no hash.
TEST(Methods, TheHashIsOfTheMethodsOwnSettingsAlone) {
    const MethodSettings lp("lp", "cora");
    std::vector<std::string> names;
    for (const Setting& setting : listed_settings(lp))
        names.push_back(setting.name);
    EXPECT_THAT(names, ::testing::ElementsAre("method", "network", "operator", "lp_rule", "lp_solver",
                                              "lp_masses", "solver_tolerance", "solver_iterations"));
    EXPECT_EQ(settings_hash(lp), settings_hash(listed_settings(lp)));
}

TEST(Methods, ListedSettingsAreReadBack) {
    MethodSettings settings("hwgpr", "pubmed");
    settings.apply({{"order", "3"}, {"hidden", "7"}, {"self_training", "4"}});
    std::vector<Setting> listed = listed_settings(settings);
    EXPECT_EQ(MethodSettings::from_listed(listed, "pubmed", false).effective(), settings.effective());
    listed.push_back({"heads", "8"});  // as older versions listed it
    EXPECT_EQ(MethodSettings::from_listed(listed, "pubmed", true).effective(), settings.effective());
    EXPECT_THROW(MethodSettings::from_listed(listed, "pubmed", false), InputError);
}

// Runs from before a parameter was there do not list it; they had what is its default.
TEST(Methods, WhatIsNotListedIsTheDefaultAndNotThePublishedValue) {
    MethodSettings settings("mixhop", "pubmed");
    EXPECT_EQ(settings.value("activation"), "relu");
    EXPECT_EQ(settings.value("feature_values"), "binary");
    const std::vector<Setting> published = listed_settings(settings);
    EXPECT_EQ(MethodSettings::from_listed(published, "pubmed", false).effective(), settings.effective());
    settings.apply({{"activation", "tanh"}, {"feature_values", "given"}});
    const MethodSettings read = MethodSettings::from_listed(listed_settings(settings), "pubmed", false);
    EXPECT_EQ(read.value("activation"), "tanh");
    EXPECT_EQ(read.value("feature_values"), "given");
    EXPECT_EQ(read.effective(), settings.effective());
}

}  // namespace
}  // namespace hwgcn::methods_test
