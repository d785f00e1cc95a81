#include "choice/trials.hpp"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace hwgcn::trials_test {
namespace {

// Nodes of classes with so many members each, all of them training.
struct Labelled {
    Dataset dataset;
    Split split;

    explicit Labelled(const std::vector<int>& sizes) {
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            dataset.class_names.push_back("c" + std::to_string(c));
            for (int i = 0; i < sizes[c]; ++i)
                dataset.labels.push_back(static_cast<Index>(c));
        }
        dataset.nodes = static_cast<Index>(dataset.labels.size());
        split = all_training_split(dataset);
    }
};

TEST(Trials, WithValidationNodesThereIsOneWithoutTestNodes) {
    Labelled labelled({3, 3});
    labelled.split.train = {3, 0};
    labelled.split.validation = {1, 4};
    labelled.split.test = {2, 5};
    const std::vector<Trial> trials = plan_trials(labelled.dataset, labelled.split, 7);
    ASSERT_EQ(trials.size(), 1U);
    EXPECT_EQ(trials[0].split.train, (std::vector<Index>{0, 3}));
    EXPECT_EQ(trials[0].split.validation, labelled.split.validation);
    EXPECT_EQ(trials[0].held_out, labelled.split.validation);
    EXPECT_TRUE(trials[0].split.test.empty());
}

TEST(Trials, FoldsHoldEveryNodeOutOnceAndTrainOnAllOthers) {
    for (const std::vector<int>& sizes :
         {std::vector{2, 2, 2}, std::vector{20, 3, 7}, std::vector{2, 9}, std::vector{5}}) {
        const Labelled labelled(sizes);
        const std::vector<Trial> folds = plan_trials(labelled.dataset, labelled.split, 7);
        EXPECT_EQ(folds.size(), std::min<std::size_t>(5, std::ranges::max(sizes)));
        std::map<Index, int> times;
        for (const Trial& fold : folds) {
            std::vector<Index> both = fold.split.train;
            both.insert(both.end(), fold.held_out.begin(), fold.held_out.end());
            std::ranges::sort(both);
            EXPECT_EQ(both, labelled.split.train);
            EXPECT_TRUE(fold.split.validation.empty());
            EXPECT_TRUE(fold.split.test.empty());
            for (const Index node : fold.held_out)
                ++times[node];
            // A class that is held out has other nodes to learn it from.
            for (const Index node : fold.held_out) {
                EXPECT_TRUE(std::ranges::any_of(fold.split.train, [&](Index other) {
                    return labelled.dataset.labels[other] == labelled.dataset.labels[node];
                }));
            }
        }
        EXPECT_EQ(times.size(), labelled.split.train.size());
        for (const auto& [node, count] : times)
            EXPECT_EQ(count, 1) << node;
    }
}

TEST(Trials, TheOnlyNodeOfAClassAlwaysTrains) {
    const Labelled labelled({3, 1, 3});
    for (const Trial& fold : plan_trials(labelled.dataset, labelled.split, 7)) {
        EXPECT_EQ(std::ranges::count(fold.held_out, 3), 0);
        EXPECT_EQ(std::ranges::count(fold.split.train, 3), 1);
    }
    EXPECT_TRUE(plan_trials(Labelled({1, 1, 1}).dataset, Labelled({1, 1, 1}).split, 7).empty());
}

TEST(Trials, TheSeedDealsTheFolds) {
    const Labelled labelled({30, 30});
    const auto first_fold = [&](std::uint64_t seed) {
        return plan_trials(labelled.dataset, labelled.split, seed).front().held_out;
    };
    EXPECT_EQ(first_fold(1), first_fold(1));
    EXPECT_NE(first_fold(1), first_fold(2));
}

}  // namespace
}  // namespace hwgcn::trials_test
