// What columns of a table are called, in sentences and as features.
#include "dataset/table_column.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"

namespace hwgcn::table_column_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

TableColumn number(std::int64_t filled, std::int64_t empty, float least, float largest) {
    return {.name = "x",
            .kind = ColumnKind::number,
            .filled = filled,
            .empty = empty,
            .least = least,
            .largest = largest};
}

TableColumn category(const Names& categories, std::int64_t empty = 0) {
    return {.name = "city", .kind = ColumnKind::category, .empty = empty, .categories = categories};
}

TableColumn of_role(ColumnRole role, ColumnKind kind = ColumnKind::text, std::int64_t different = 0) {
    return {.name = "c", .role = role, .kind = kind, .different = different};
}

TEST(TableColumn, IsDescribed) {
    EXPECT_EQ(describe(of_role(ColumnRole::id)), "the ids");
    EXPECT_EQ(describe(of_role(ColumnRole::ignored)), "ignored");
    EXPECT_EQ(describe(of_role(ColumnRole::label, ColumnKind::category, 1)), "the labels: 1 class");
    EXPECT_EQ(describe(of_role(ColumnRole::label, ColumnKind::category, 3)), "the labels: 3 classes");
    EXPECT_EQ(describe(of_role(ColumnRole::label, ColumnKind::range, 1)), "the labels: 1 range of numbers");
    EXPECT_EQ(describe(of_role(ColumnRole::label, ColumnKind::range, 5)), "the labels: 5 ranges of numbers");
    EXPECT_EQ(describe(of_role(ColumnRole::left_out, ColumnKind::text, 80)), "left out: 80 different texts");
    EXPECT_EQ(describe(of_role(ColumnRole::left_out, ColumnKind::number, 80)), "left out: 80 different ids");
    EXPECT_EQ(describe(number(3, 0, 20, 45.5F)), "numbers from 20 to 45.5");
    EXPECT_EQ(describe(number(3, 1, -1, 1)), "numbers from -1 to 1, 1 empty");
    EXPECT_EQ(describe(number(3, 0, 7, 7)), "always 7");
    EXPECT_EQ(describe(number(3, 2, 7, 7)), "always 7, 2 empty");
    EXPECT_EQ(describe(number(0, 3, 0, 0)), "empty");
    EXPECT_EQ(describe(category({"Rome"})), "1 category");
    EXPECT_EQ(describe(category({"Rome", "Oslo"}, 4)), "2 categories, 4 empty");
}

TEST(TableColumn, IsConstantWhereAllNodesHaveTheSame) {
    EXPECT_TRUE(is_constant(number(3, 0, 7, 7)));
    EXPECT_FALSE(is_constant(number(3, 2, 7, 7))) << "a gap tells nodes apart";
    EXPECT_FALSE(is_constant(number(3, 0, 7, 8)));
    EXPECT_TRUE(is_constant(number(0, 3, 0, 0)));
    EXPECT_TRUE(is_constant(category({"Rome"})));
    EXPECT_FALSE(is_constant(category({"Rome"}, 1)));
    EXPECT_FALSE(is_constant(category({"Rome", "Oslo"})));
    EXPECT_FALSE(is_constant(of_role(ColumnRole::label, ColumnKind::category, 1)));
}

TEST(TableColumn, NamesItsFeatures) {
    Names names;
    add_feature_names(number(3, 0, 0, 1), names);
    add_feature_names(category({"Rome", "a=b"}), names);
    add_feature_names(of_role(ColumnRole::left_out, ColumnKind::number), names);
    EXPECT_THAT(names, ElementsAre("x", "city=Rome", "city=a=b"));
    EXPECT_EQ(feature_count(number(3, 0, 0, 1)), 1);
    EXPECT_EQ(feature_count(category({"Rome", "a=b"})), 2);
    EXPECT_EQ(feature_count(of_role(ColumnRole::left_out, ColumnKind::number)), 0);
}

TEST(TableColumn, CategoriesAreFoundAgainInTheNamesOfFeatures) {
    constexpr FeatureKind word = FeatureKind::category;
    const Names names = {"age", "town=Rome", "city=Rome", "city=a=b", "x=y", "plain", "city=Bari"};
    const std::vector<TableColumn> columns =
        category_columns(names, {FeatureKind::column, word, word, word, FeatureKind::number, word, word});
    ASSERT_EQ(columns.size(), 3U);
    EXPECT_EQ(columns[0].name, "town");
    EXPECT_EQ(columns[0].first_feature, 1);
    EXPECT_EQ(columns[1].name, "city");
    EXPECT_EQ(columns[1].first_feature, 2);
    EXPECT_THAT(columns[1].categories, ElementsAre("Rome", "a=b"));
    EXPECT_EQ(columns[2].name, "city") << "its features do not follow on the others";
    EXPECT_EQ(columns[2].first_feature, 6);
    EXPECT_THAT(category_columns(names, {}), IsEmpty());
    EXPECT_THAT(category_columns({}, {word}), IsEmpty());
}

Dataset numbers_of_a_table() {
    constexpr Index nodes = 40;
    Dataset dataset;
    dataset.nodes = nodes;
    dataset.features = {nodes, 2, {0}, {}, {}};
    float pay = 1;
    for (Index node = 0; node < nodes; ++node, pay *= 1.5F) {
        dataset.features.indices.insert(dataset.features.indices.end(), {0, 1});
        dataset.features.values.insert(dataset.features.values.end(), {pay, static_cast<float>(node + 1)});
        dataset.features.offsets.push_back(dataset.features.entries());
    }
    dataset.feature_kinds = {FeatureKind::column, FeatureKind::column};
    dataset.feature_names = {"pay", "age"};
    dataset.labels.assign(nodes, unlabelled);
    dataset.columns = {of_role(ColumnRole::id), number(nodes, 0, 1, nodes), number(nodes, 0, 1, 6e5F)};
    dataset.columns[1].first_feature = 1;
    return dataset;
}

TEST(TableColumn, IsOfNumbersForWhichLogarithmsStand) {
    Dataset dataset = numbers_of_a_table();
    scale_features(dataset);
    EXPECT_EQ(describe(dataset.columns[1]), "numbers from 1 to 40");
    EXPECT_EQ(describe(dataset.columns[2]), "numbers from 1 to 600000, as logarithms");
}

TEST(TableColumn, BelongsToANodeTableIfThisHasIds) {
    Dataset dataset = numbers_of_a_table();
    EXPECT_EQ(node_table_columns(dataset).size(), 3U);
    dataset.columns = {category({"Rome"})};
    EXPECT_TRUE(node_table_columns(dataset).empty());
}

TEST(TableColumn, HasItsFeaturesInTheMatrix) {
    Dataset dataset = numbers_of_a_table();
    EXPECT_NO_THROW(validate_dataset(dataset));
    dataset.columns[1].first_feature = 2;
    EXPECT_THROW(validate_dataset(dataset), InputError);
}

}  // namespace
}  // namespace hwgcn::table_column_test
