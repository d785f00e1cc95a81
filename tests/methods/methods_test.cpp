#include "hwgcn/methods/methods.hpp"

#include <set>

#include <gtest/gtest.h>

#include "hwgcn/methods/prepared_graph.hpp"

namespace hwgcn::methods_test {
namespace {

std::string setting(const MethodSettings& settings, const std::string& name) {
    for (const Setting& candidate : all_settings(settings)) {
        if (candidate.name == name) return candidate.text;
    }
    return "missing";
}

TEST(Methods, HaveDistinctNamesAndSettingsForEveryDataset) {
    std::set<std::string> names;
    for (const MethodInfo& method : method_table()) {
        EXPECT_TRUE(names.insert(method.name).second) << method.name;
        EXPECT_FALSE(method.description.empty());
        for (const char* dataset : {"cora", "citeseer", "pubmed", "my_data"}) {
            const MethodSettings settings = method_settings(method.name, dataset);
            EXPECT_NO_THROW(validate_options(settings.weights)) << method.name << ' ' << dataset;
            EXPECT_NO_THROW(validate_parameters(network_parameters(), settings.shape));
            EXPECT_NO_THROW(validate_parameters(fit_parameters(), settings.fit));
        }
    }
}

TEST(Methods, HwgcnIsGcnOnTheHigherOrderOperator) {
    MethodSettings gcn = method_settings("gcn", "cora");
    EXPECT_EQ(gcn.operator_kind, OperatorKind::plain);
    apply_settings(gcn, {{"operator", "higher-order"}});
    const MethodSettings hwgcn = method_settings("hwgcn", "cora");
    for (const Setting& candidate : all_settings(hwgcn)) {
        if (candidate.name != "method") {
            EXPECT_EQ(setting(gcn, candidate.name), candidate.text) << candidate.name;
        }
    }
}

TEST(Methods, ThePublishedOrdersFollowTheDataset) {
    EXPECT_EQ(method_settings("hwgcn", "cora").weights.order, 6);
    EXPECT_EQ(method_settings("hwgcn", "citeseer").weights.order, 6);
    EXPECT_EQ(method_settings("hwgcn", "pubmed").weights.order, 5);
    EXPECT_EQ(method_settings("hwgcn", "pubmed").weights.keep, (std::vector<double>{0.2, 0.1, 0.05, 0.05}));
    EXPECT_TRUE(method_settings("hwgcn", "cora").weights.keep.empty());
}

TEST(Methods, AnotherOrderKeepsThePublishedShares) {
    MethodSettings settings = method_settings("hwgcn", "pubmed");
    apply_settings(settings, {{"order", "3"}});
    EXPECT_EQ(settings.weights.keep, (std::vector<double>{0.2, 0.1}));
    settings = method_settings("hwgcn", "pubmed");
    apply_settings(settings, {{"order", "7"}});
    EXPECT_EQ(settings.weights.keep, (std::vector<double>{0.2, 0.1, 0.05, 0.05, 0.05, 0.05}));
    EXPECT_NO_THROW(validate_options(settings.weights));
}

TEST(Methods, SharesThatWereGivenAreNotMadeToFit) {
    MethodSettings settings = method_settings("hwgcn", "cora");
    apply_settings(settings, {{"order", "4"}, {"keep", "0.2"}});
    EXPECT_THROW(validate_options(settings.weights), InputError);
}

TEST(Methods, WhatAMethodDoesNotUseIsNoPartOfItsIdentity) {
    const auto hash = [](const std::string& method, const std::vector<Setting>& changes) {
        MethodSettings settings = method_settings(method, "cora");
        apply_settings(settings, changes);
        return settings_hash(settings);
    };
    EXPECT_EQ(hash("gcn", {{"order", "3"}}), hash("gcn", {}));
    EXPECT_NE(hash("hwgcn", {{"order", "3"}}), hash("hwgcn", {}));
    EXPECT_EQ(hash("mlp", {{"operator", "higher-order"}}), hash("mlp", {})) << "there is no operator in it";
}

TEST(Methods, SettingsOfEveryGroupCanBeChanged) {
    MethodSettings settings = method_settings("gcn", "cora");
    apply_settings(settings,
                   {{"order", "4"}, {"orientation", "transposed"}, {"hidden", "32"}, {"rate", "0.1"}});
    EXPECT_EQ(settings.weights.order, 4);
    EXPECT_EQ(settings.propagation.orientation, Orientation::transposed);
    EXPECT_EQ(settings.shape.hidden, 32);
    EXPECT_EQ(settings.fit.rate, 0.1);
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

TEST(Methods, WrongNamesAndValuesAreExplained) {
    EXPECT_NE(message_of([] { method_settings("hwgnc", "cora"); }).find("hwgcn"), std::string::npos);
    MethodSettings settings = method_settings("gcn", "cora");
    EXPECT_NE(message_of([&] {
                  apply_settings(settings, {{"hiden", "3"}});
              }).find("hidden"),
              std::string::npos);
    EXPECT_NE(message_of([&] {
                  apply_settings(settings, {{"hidden", "-3"}});
              }).find("whole number"),
              std::string::npos);
}

TEST(Methods, TheHashKnowsEverySetting) {
    const MethodSettings settings = method_settings("hwgcn", "cora");
    std::set<std::string> hashes = {settings_hash(settings)};
    const std::vector<Setting> changes = {
        {"operator", "plain"},        {"order", "5"},   {"weighting", "uniform"}, {"max_ring", "100"},
        {"orientation", "symmetric"}, {"hidden", "17"}, {"input_dropout", "0.4"}, {"rate", "0.02"},
        {"selection", "loss"},        {"patience", "9"}};
    for (const Setting& change : changes) {
        MethodSettings changed = settings;
        apply_settings(changed, {change});
        EXPECT_TRUE(hashes.insert(settings_hash(changed)).second) << change.name;
    }
}

}  // namespace
}  // namespace hwgcn::methods_test
