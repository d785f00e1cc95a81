// That random splits draw what they say, class by class.
#include <algorithm>

#include <gtest/gtest.h>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

namespace hwgcn::split_draw_test {
namespace {

// Two classes of 200 nodes that take turns: node / 2 is the place in its class.
Dataset taking_turns() {
    Dataset dataset;
    dataset.name = "turns";
    dataset.nodes = 400;
    dataset.class_names = {"even", "odd"};
    for (Index node = 0; node < 400; ++node)
        dataset.labels.push_back(node % 2);
    return dataset;
}

std::vector<Index> places_in_class(const std::vector<Index>& nodes, Index label) {
    std::vector<Index> places;
    for (const Index node : nodes) {
        if (node % 2 == label) places.push_back(node / 2);
    }
    return places;
}

TEST(RandomSplit, DrawsEachClassWithNumbersOfItsOwn) {
    const Split split = random_split(taking_turns(), {20, 50, 100, 3});
    EXPECT_EQ(places_in_class(split.train, 0).size(), 20U);
    EXPECT_NE(places_in_class(split.train, 0), places_in_class(split.train, 1));
}

TEST(SharesSplit, DrawsEachClassAndEachSeedWithNumbersOfItsOwn) {
    const Dataset dataset = taking_turns();
    const Split split = shares_split(dataset, 10, 20, 3);
    EXPECT_NE(places_in_class(split.train, 0), places_in_class(split.train, 1));
    EXPECT_NE(split.train, shares_split(dataset, 10, 20, 4).train);
    EXPECT_EQ(split.train, shares_split(dataset, 10, 20, 3).train);
}

TEST(SharesSplit, TheTrainingShareOfAClassIsRoundedUp) {
    Dataset dataset = taking_turns();
    std::fill(dataset.labels.begin() + 3, dataset.labels.end(), unlabelled);  // two even nodes, one odd
    const Split split = shares_split(dataset, 10, 20, 3);
    EXPECT_EQ(places_in_class(split.train, 0).size(), 1U);
    EXPECT_EQ(places_in_class(split.train, 1).size(), 1U);
}

}  // namespace
}  // namespace hwgcn::split_draw_test
