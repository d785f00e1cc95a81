#include "hwgcn/dataset/split.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/synthetic.hpp"

#include "dataset/small_splits.hpp"
#include "io/expect_input_error.hpp"
#include "test_data.hpp"

namespace hwgcn::split_test {
namespace {

using testing::labelled_nodes;
using testing::same_nodes;
using testing::six_nodes;
using testing::TemporaryDirectory;

RC_GTEST_PROP(RandomSplit, IsDisjointLabelledAndHasTheCountsAskedFor, ()) {
    const auto classes = *rc::gen::inRange<Index>(1, 6);
    auto labels = *rc::gen::container<std::vector<Index>>(200, rc::gen::inRange<Index>(-1, classes));
    for (Index label = 0; label < classes; ++label)
        labels.push_back(label);
    std::map<Index, int> sizes;
    for (const Index label : labels)
        ++sizes[label];
    int smallest = sizes[0];
    int labelled = 0;
    for (Index label = 0; label < classes; ++label) {
        smallest = std::min(smallest, sizes[label]);
        labelled += sizes[label];
    }
    RandomSplitOptions options;
    options.per_class = *rc::gen::inRange(1, smallest + 1);
    const int rest = labelled - options.per_class * classes;
    options.validation = *rc::gen::inRange(0, rest + 1);
    options.test = *rc::gen::inRange(0, rest - options.validation + 1);
    options.seed = *rc::gen::arbitrary<std::uint64_t>();

    const Dataset dataset = labelled_nodes(labels, classes);
    const Split split = random_split(dataset, options);
    std::set<Index> all(split.train.begin(), split.train.end());
    std::map<Index, int> trained;
    for (const Index node : split.train)
        ++trained[labels[node]];
    all.insert(split.validation.begin(), split.validation.end());
    all.insert(split.test.begin(), split.test.end());

    for (Index label = 0; label < classes; ++label)
        RC_ASSERT(trained[label] == options.per_class);
    RC_ASSERT(split.validation.size() == static_cast<std::size_t>(options.validation));
    RC_ASSERT(split.test.size() == static_cast<std::size_t>(options.test));
    RC_ASSERT(all.size() == split.train.size() + split.validation.size() + split.test.size());
    RC_ASSERT(std::none_of(all.begin(), all.end(), [&](Index node) { return labels[node] == unlabelled; }));
    RC_ASSERT(std::is_sorted(split.train.begin(), split.train.end()));
    validate_split(split, dataset);
    RC_ASSERT(same_nodes(split, random_split(dataset, options)));
}

TEST(RandomSplit, DependsOnTheSeed) {
    const Dataset dataset = make_synthetic({});
    std::set<std::string> hashes;
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        hashes.insert(split_hash(random_split(dataset, {.seed = seed}), dataset));
    EXPECT_EQ(hashes.size(), 20u);
}

// 5 of 10 nodes of a class: each node should be picked in half of the splits.
TEST(RandomSplit, PicksEveryNodeEquallyOften) {
    const Dataset dataset = labelled_nodes(std::vector<Index>(10, 0), 1);
    std::vector<int> picked(10);
    constexpr int splits = 4000;
    for (std::uint64_t seed = 0; seed < splits; ++seed) {
        for (const Index node : random_split(dataset, {5, 0, 0, seed}).train)
            ++picked[node];
    }
    for (const int count : picked)
        EXPECT_NEAR(count, splits / 2, 160);  // five standard deviations
}

TEST(RandomSplit, StaysTheSameFromReleaseToRelease) {
    const Split split = random_split(make_karate(), {3, 4, 5, 1});
    EXPECT_EQ(split.train, (std::vector<Index>{12, 16, 19, 20, 23, 31}));
    EXPECT_EQ(split.validation, (std::vector<Index>{1, 14, 25, 29}));
    EXPECT_EQ(split.test, (std::vector<Index>{4, 8, 21, 26, 30}));
}

TEST(RandomSplit, IsNamedAfterItsOptions) {
    const Dataset dataset = make_synthetic({});
    EXPECT_EQ(random_split(dataset, {.seed = 3}).name, "random:20:seed=3");
    EXPECT_EQ(random_split(dataset, {5, 30, 40, 1}).name, "random:5:30:40:seed=1");
}

TEST(RandomSplit, SaysWhatThereIsWhereLabelsDoNotSuffice) {
    const Dataset karate = make_karate();
    EXPECT_REFUSED(
        random_split(karate, {20, 0, 0, 0}),
        "karate: the split random:20:0:0:seed=0 needs 20 labelled nodes of class 'Mr. Hi' for training, "
        "there are 17");
    EXPECT_REFUSED(
        random_split(karate, {.per_class = 5}),
        "needs 500 validation and 1000 test nodes, but of the 34 labelled nodes 24 are left after the "
        "10 for training");
    EXPECT_REFUSED(random_split(karate, {5, 2147483647, 2147483647, 0}), "24 are left");
    EXPECT_REFUSED(random_split(karate, {0, 1, 1, 0}), "per_class is 0, expected at least 1");
    EXPECT_REFUSED(random_split(karate, {1, -1, 1, 0}), "validation is -1");
    EXPECT_REFUSED(random_split(karate, {1, 1, -1, 0}), "test is -1");
}

TEST(PublishedSplit, IsTheOneOfTheDatasetOrAnError) {
    Dataset dataset = six_nodes();
    EXPECT_REFUSED(published_split(dataset), "tiny: no split is published with this dataset");
    dataset.published_split = Split{"planetoid", {0, 1}, {2}, {3}};
    EXPECT_TRUE(same_nodes(published_split(dataset), *dataset.published_split));
}

TEST(MakeSplit, UnderstandsEveryFormOfSpecification) {
    Dataset karate = make_karate();
    karate.published_split = Split{"planetoid", {0, 33}, {1}, {2}};
    EXPECT_TRUE(same_nodes(make_split(karate, "planetoid", 0), *karate.published_split));
    EXPECT_TRUE(same_nodes(make_split(karate, "published", 0), *karate.published_split));
    EXPECT_TRUE(same_nodes(make_split(karate, "random:3:4:5", 9), random_split(karate, {3, 4, 5, 9})));
    const Dataset synthetic = make_synthetic({});
    EXPECT_TRUE(same_nodes(make_split(synthetic, "random:10", 2),
                           random_split(synthetic, {.per_class = 10, .seed = 2})));
    const TemporaryDirectory directory;
    write_split(directory / "mine.json", *karate.published_split, karate);
    EXPECT_TRUE(
        same_nodes(make_split(karate, (directory / "mine.json").string(), 0), *karate.published_split));
}

TEST(MakeSplit, RefusesOtherForms) {
    const Dataset karate = make_karate();
    for (const char* specification :
         {"random", "random:", "random:x", "random:5:6", "random:5:6:7:8",
          "random:5:", "random:5:6:", "random: 5", "random:5x", "random:99999999999"})
        EXPECT_REFUSED(make_split(karate, specification, 0),
                       fmt::format("split '{}': expected random:PER_CLASS", specification));
    EXPECT_REFUSED(make_split(karate, "random:-5", 0), "per_class is -5");
    EXPECT_REFUSED(make_split(karate, "plantoid", 0), "no such file; expected planetoid, random:PER_CLASS");
    EXPECT_REFUSED(make_split(karate, "plantoid", 0), "did you mean 'planetoid'?");
    EXPECT_REFUSED(make_split(karate, "", 0), "no such file");
}

// As many labelled nodes of each class as given, and one without a label.
Dataset with_class_sizes(const std::vector<Index>& sizes) {
    std::vector<Index> labels = {unlabelled};
    for (std::size_t label = 0; label < sizes.size(); ++label)
        labels.insert(labels.end(), static_cast<std::size_t>(sizes[label]), static_cast<Index>(label));
    return labelled_nodes(std::move(labels), static_cast<Index>(sizes.size()));
}

TEST(DefaultSplit, IsThePublishedOneElseThePapersElseASmallerOne) {
    Dataset published = six_nodes();
    published.published_split = Split{"planetoid", {0, 1}, {2}, {3}};
    EXPECT_EQ(make_split(published, default_split(published), 0).name, "planetoid");
    EXPECT_EQ(default_split(with_class_sizes({1000, 900})), "random:20");
    EXPECT_EQ(default_split(with_class_sizes({770, 770})), "random:20");
    EXPECT_EQ(default_split(with_class_sizes({17, 17})), "random:8:6:12");
    EXPECT_EQ(default_split(with_class_sizes({40, 400})), "random:20:133:267");
    EXPECT_EQ(default_split(with_class_sizes({30, 5000})), "random:15");
    EXPECT_EQ(default_split(with_class_sizes({3, 2})), "random:1:1:2");
    EXPECT_EQ(default_split(with_class_sizes({1, 1})), "random:1:0:0");
}

TEST(DefaultSplit, AlwaysFitsTheLabels) {
    for (Index smallest = 1; smallest < 60; ++smallest) {
        for (const Index largest : {smallest, 2 * smallest, Index{1600}}) {
            const Dataset dataset = with_class_sizes({smallest, std::max(smallest, largest), smallest});
            const Split split = make_split(dataset, default_split(dataset), 3);
            validate_split(split, dataset);
            EXPECT_GE(split.train.size(), 3U);
            EXPECT_LE(split.validation.size(), split.test.size());
        }
    }
}

TEST(DefaultSplit, NeedsLabels) {
    EXPECT_REFUSED(default_split(labelled_nodes({unlabelled, unlabelled}, 0)),
                   "tiny: the dataset has no labels");
    const Dataset half = with_class_sizes({4, 0});
    EXPECT_REFUSED(make_split(half, default_split(half), 0), "needs 1 labelled nodes of class 'class_1'");
}

TEST(SplitHash, DependsOnIdsAndPartsButNotOnTheOrderOrTheNumbering) {
    const Dataset dataset = six_nodes();
    const std::string hash = split_hash({"a", {0, 1}, {2}, {3}}, dataset);
    EXPECT_EQ(hash.size(), 64u);
    EXPECT_EQ(hash, split_hash({"b", {1, 0}, {2}, {3}}, dataset));
    EXPECT_NE(hash, split_hash({"a", {0, 1}, {3}, {2}}, dataset));
    EXPECT_NE(hash, split_hash({"a", {0, 1, 2}, {}, {3}}, dataset));
    EXPECT_NE(hash, split_hash({"a", {0, 4}, {2}, {3}}, dataset));
    Dataset renumbered = dataset;
    std::reverse(renumbered.node_ids.begin(), renumbered.node_ids.end());
    EXPECT_EQ(hash, split_hash({"a", {5, 4}, {3}, {2}}, renumbered));
}

TEST(ValidateSplit, RefusesWhatIsNotASplit) {
    const Dataset dataset = six_nodes();
    EXPECT_NO_THROW(validate_split({"s", {0, 1}, {2}, {3, 4}}, dataset));
    EXPECT_REFUSED(validate_split({"s", {0, 6}, {}, {}}, dataset), "s: train: node number 6 is outside 0..5");
    EXPECT_REFUSED(validate_split({"s", {}, {-1}, {}}, dataset), "validation: node number -1 is outside");
    EXPECT_REFUSED(validate_split({"s", {}, {}, {2, 2}}, dataset), "test: node 'n2' is listed twice");
    EXPECT_REFUSED(validate_split({"s", {2}, {}, {2}}, dataset),
                   "node 'n2' is listed in both train and test");
    EXPECT_REFUSED(validate_split({"s", {}, {5}, {}}, dataset), "validation: node 'n5' has no label");
}

TEST(SharesSplit, DividesEveryClassAndLeavesNobodyOut) {
    const Dataset dataset = with_class_sizes({100, 10, 3, 1});
    const Split split = make_split(dataset, "shares:60:20", 5);
    EXPECT_EQ(split.name, "shares:60:20:seed=5");
    const auto count = [&](const std::vector<Index>& nodes, Index label) {
        return std::ranges::count_if(nodes, [&](Index node) { return dataset.labels[node] == label; });
    };
    const std::vector<std::vector<int>> expected = {{60, 20, 20}, {6, 2, 2}, {2, 1, 0}, {1, 0, 0}};
    for (Index label = 0; label < 4; ++label) {
        EXPECT_EQ(count(split.train, label), expected[label][0]) << label;
        EXPECT_EQ(count(split.validation, label), expected[label][1]) << label;
        EXPECT_EQ(count(split.test, label), expected[label][2]) << label;
    }
    EXPECT_NO_THROW(validate_split(split, dataset));
    EXPECT_EQ(make_split(dataset, "shares:60:20", 5).train, split.train);
    EXPECT_NE(make_split(dataset, "shares:60:20", 6).train, split.train);
    for (const char* wrong : {"shares:60", "shares:60:40", "shares:0:20", "shares:60:x", "shares:60:20:20"})
        testing::expect_input_error([&] { make_split(dataset, wrong, 0); }, {"shares:60:20"});
}

TEST(AllTrainingSplit, HasEveryLabel) {
    const Dataset dataset = with_class_sizes({2, 2});  // and node 0 without a label
    const Split split = make_split(dataset, "all", 0);
    EXPECT_EQ(split.train, (std::vector<Index>{1, 2, 3, 4}));
    EXPECT_TRUE(split.validation.empty() && split.test.empty());
    EXPECT_TRUE(has_few_labels(with_class_sizes({49, 50})));
    EXPECT_FALSE(has_few_labels(with_class_sizes({1, 99})));
}

TEST(ScarceLabels, AreNamed) {
    const Dataset dataset = with_class_sizes({3, 2, 1, 4});
    Split split = all_training_split(dataset);
    std::erase_if(split.train, [&](Index node) { return dataset.labels[node] == 3; });
    const std::vector<std::string> sentences = scarce_labels(dataset, split);
    ASSERT_EQ(sentences.size(), 2U);
    EXPECT_NE(
        sentences[0].find("no training node has the class '" + dataset.class_names[3] + "': nothing can"),
        std::string::npos);
    EXPECT_NE(sentences[1].find("'" + dataset.class_names[1] + "' (2), '" + dataset.class_names[2] + "' (1)"),
              std::string::npos);
    const Dataset same = with_class_sizes({9});
    EXPECT_NE(scarce_labels(same, all_training_split(same)).at(0).find("nothing to tell apart"),
              std::string::npos);
    const Dataset many = with_class_sizes(std::vector<int>(40, 1));
    EXPECT_NE(scarce_labels(many, all_training_split(many)).at(0).find("and 32 more"), std::string::npos);
}

}  // namespace
}  // namespace hwgcn::split_test
