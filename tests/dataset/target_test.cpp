#include "dataset/target.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"

namespace hwgcn::target_test {
namespace {

using testing::expect_input_error;
using ::testing::HasSubstr;

// `labelled` nodes that take turns in having the classes.
Dataset dataset_of(std::vector<std::string> classes, Index labelled) {
    Dataset dataset;
    dataset.name = "own";
    dataset.nodes = labelled + 10;
    for (Index i = 0; i < dataset.nodes; ++i)
        dataset.labels.push_back(i < labelled ? i % static_cast<Index>(classes.size()) : unlabelled);
    dataset.class_names = std::move(classes);
    return dataset;
}

template <typename Name>
std::vector<std::string> names(int count, const Name& name) {
    std::vector<std::string> result;
    for (int i = 0; i < count; ++i)
        result.push_back(name(i));
    return result;
}

const auto price = [](int i) { return fmt::format("{}.95", 3 * i); };
const auto income = [](int i) { return fmt::to_string(20000 + 13 * i); };
const auto rating = [](int i) { return fmt::to_string(2 * i); };
const auto number = [](int i) { return fmt::to_string(i); };
const auto word = [](int i) { return fmt::format("topic {}", i); };

// Class numbers 0, 1, 2, 4, 5, 6, 8, ..
std::vector<std::string> with_gaps(int count) {
    return names(count, [](int i) { return fmt::to_string(i + i / 3); });
}

TEST(Target, TheRemedyIsOneThatTheDataAllow) {
    Dataset dataset = dataset_of(names(40, price), 40);
    EXPECT_THAT(objection_to_target(dataset, {}), HasSubstr("; put them into a few ranges"));
    dataset.columns = {{.name = "id", .role = ColumnRole::id}, {.name = "price", .role = ColumnRole::label}};
    EXPECT_THAT(objection_to_target(dataset, {}), HasSubstr("; `bins=5` puts them into five ranges"));
}

TEST(Target, NumbersThatAreHardlyRepeatedAreNoClasses) {
    for (const Dataset& dataset :
         {dataset_of(names(40, price), 40), dataset_of(names(300, income), 500),
          dataset_of(names(205, income), 1000), dataset_of(names(205, income), 2000),
          dataset_of(names(205, price), 2000), dataset_of(names(205, rating), 1500)}) {
        EXPECT_THAT(objection_to_target(dataset, {}), HasSubstr("look like measured numbers"));
        EXPECT_EQ(objection_to_target(dataset, {dataset.classes()}), "");
        expect_input_error([&] { check_target(dataset, {}); },
                           {"own: the labels look like", fmt::format("`max_classes={}`", dataset.classes())});
    }
}

TEST(Target, ClassNumbersWordsAndFewOrRepeatedNumbersAreClasses) {
    EXPECT_EQ(objection_to_target(dataset_of(names(70, number), 70), {}), "");  // one label of each
    EXPECT_EQ(objection_to_target(dataset_of(names(70, word), 70), {}), "");
    EXPECT_EQ(objection_to_target(dataset_of(names(20, price), 20), {}), "");
    EXPECT_EQ(objection_to_target(dataset_of(names(300, income), 6000), {}), "") << "20 nodes each";
    EXPECT_EQ(objection_to_target(dataset_of(names(205, number), 1500), {}), "");
    EXPECT_EQ(objection_to_target(dataset_of(with_gaps(70), 500), {}), "") << "some classes have no label";
    EXPECT_EQ(objection_to_target(dataset_of(names(70, rating), 100), {}), "") << "many have none";
    EXPECT_EQ(objection_to_target(dataset_of({}, 0), {}), "");
}

TEST(Target, TooManyClassesAreRefusedWhateverTheyAre) {
    const Dataset dataset = dataset_of(names(usual_most_classes + 1, word), 9000);
    EXPECT_THAT(objection_to_target(dataset, {}), HasSubstr("1001 classes are more than 1000"));
    EXPECT_EQ(objection_to_target(dataset, {2000}), "");
    EXPECT_THAT(objection_to_target(dataset, {500}), HasSubstr("1001 classes are more than 500"));
    EXPECT_EQ(objection_to_target(dataset_of(names(usual_most_classes, word), 9000), {}), "");
}

TEST(Target, MemoryGrowsWithNodesAndWithTheSquareOfTheClasses) {
    EXPECT_LT(target_megabytes(2708, 7), 3);
    EXPECT_GT(target_megabytes(30'000, 29'933), 10 * 1024);
    EXPECT_GT(target_megabytes(100, 30'000), 3 * 1024);
}

}  // namespace
}  // namespace hwgcn::target_test
