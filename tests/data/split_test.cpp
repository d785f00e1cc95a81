#include "hwgcn/data/split.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/data/dataset.hpp"
#include "hwgcn/data/synthetic.hpp"
#include "hwgcn/support/error.hpp"
#include "hwgcn/support/input_file.hpp"

#include "data/expect_input_error.hpp"
#include "support/atomic_file.hpp"
#include "test_data.hpp"

namespace hwgcn::split_test {
namespace {

using testing::TemporaryDirectory;

// Nodes n0, n1, ... with the given labels and nothing else.
Dataset labelled_nodes(std::vector<Index> labels, Index classes) {
    Dataset dataset;
    dataset.name = "tiny";
    dataset.source = "test";
    dataset.nodes = static_cast<Index>(labels.size());
    dataset.features.rows = dataset.nodes;
    dataset.features.offsets.assign(labels.size() + 1, 0);
    dataset.labels = std::move(labels);
    for (Index label = 0; label < classes; ++label)
        dataset.class_names.push_back(fmt::format("class_{}", label));
    for (Index node = 0; node < dataset.nodes; ++node)
        dataset.node_ids.push_back(fmt::format("n{}", node));
    return dataset;
}

// Six nodes of two classes; n5 has no label.
Dataset six_nodes() {
    return labelled_nodes({0, 1, 0, 1, 0, unlabelled}, 2);
}

template <typename Call>
std::string input_error(const Call& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no InputError";
}

#define EXPECT_REFUSED(expression, part) \
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, input_error([&] { (void)(expression); }))

std::string error_of_file(const std::string& content, const Dataset& dataset = six_nodes()) {
    const TemporaryDirectory directory;
    write_text_atomically(directory / "split.json", content);
    const std::string message = input_error([&] { read_split(directory / "split.json", dataset); });
    EXPECT_TRUE(message.starts_with((directory / "split.json").string() + ": ")) << message;
    return message;
}

#define EXPECT_FILE_REFUSED(content, part) \
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, error_of_file(content))

bool same_nodes(const Split& a, const Split& b) {
    return a.train == b.train && a.validation == b.validation && a.test == b.test;
}

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
        "needs 500 validation and 1000 test nodes, but of the 34 labelled nodes 24 are left beside the "
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

TEST(SplitFile, GivesBackWhatWasWritten) {
    const TemporaryDirectory directory;
    const Dataset karate = make_karate();          // with ids
    const Dataset synthetic = make_synthetic({});  // numbered
    for (const Dataset* dataset : {&karate, &synthetic}) {
        const Split written = random_split(*dataset, {3, 4, 5, 6});
        write_split(directory / "split.json", written, *dataset);
        const Split read = read_split(directory / "split.json", *dataset);
        EXPECT_TRUE(same_nodes(read, written));
        EXPECT_EQ(read.name, (directory / "split.json").string());
        EXPECT_EQ(split_hash(read, *dataset), split_hash(written, *dataset));
    }
}

TEST(SplitFile, MayBeWrittenByHandWithNumbersOrStrings) {
    const TemporaryDirectory directory;
    write_text_atomically(directory / "s.json",
                          R"({"train":[1,"34"],"validation":[2],"test":[],"comment":null})");
    const Split split = read_split(directory / "s.json", make_karate());
    EXPECT_TRUE(same_nodes(split, {"", {0, 33}, {1}, {}}));
}

TEST(SplitFile, IsRefusedWhereItIsNotJson) {
    EXPECT_FILE_REFUSED("", "byte 0: not valid JSON: ");
    EXPECT_FILE_REFUSED(R"({"train": [n1]})", "byte 12: not valid JSON: ");
    EXPECT_FILE_REFUSED(R"({"train": ["n1"], )", "not valid JSON: ");
    EXPECT_FILE_REFUSED("{\"train\": [\"\xff\"]}", "not valid JSON: ");
    EXPECT_FILE_REFUSED(R"({"train": [1e999]})", "not valid JSON: ");
    EXPECT_FILE_REFUSED(std::string(4, '\0'), "not valid JSON: ");
    EXPECT_FILE_REFUSED(std::string(300000, '['), "is nested deeper than the 64 levels that are accepted");
}

TEST(SplitFile, IsRefusedWhereItHasAnotherForm) {
    EXPECT_FILE_REFUSED("[]", "expected an object with train, validation and test, found array");
    EXPECT_FILE_REFUSED(R"({"train":[],"test":[]})", "the key \"validation\" is missing");
    EXPECT_FILE_REFUSED(R"({"train":"n1"})", "train: expected a list of node ids, found string");
    EXPECT_FILE_REFUSED(R"({"train":["n0",1.5]})",
                        "train: entry 1: expected a node id (a string or a whole number), "
                        "found 1.5");
    EXPECT_FILE_REFUSED(R"({"train":[null]})", "found null");
    EXPECT_FILE_REFUSED(R"({"train":[18446744073709551616]})", "expected a node id");
    EXPECT_FILE_REFUSED(R"({"train":["n0"],"train":[],"validation":[],"test":[]})",
                        "the key \"train\" is given twice");
    const std::string nested = std::string(20, '[') + std::string(20, ']');
    EXPECT_FILE_REFUSED(R"({"train":[)" + nested + "]}", "found array");
    EXPECT_FILE_REFUSED(R"({"train":[],"validation":[],"test":[],"sha256":5})",
                        "sha256: expected a string, found number");
}

TEST(SplitFile, IsRefusedWhereItsNodesDoNotFit) {
    EXPECT_FILE_REFUSED(R"({"train":["n0","m1"]})",
                        "train: entry 1: unknown node id 'm1', did you mean 'n1'?");
    EXPECT_FILE_REFUSED(R"({"train":[],"validation":["n0","n0"],"test":[]})",
                        "validation: node 'n0' is listed twice");
    EXPECT_FILE_REFUSED(R"({"train":["n1"],"validation":[],"test":["n1"]})",
                        "node 'n1' is listed in both train and test");
    EXPECT_FILE_REFUSED(R"({"train":["n5"],"validation":[],"test":[]})", "train: node 'n5' has no label");
    Dataset numbered = six_nodes();
    numbered.node_ids.clear();
    for (const char* id : {"6", "-1", "99999999999", R"("01")", R"("+1")", R"("1 ")", R"("")"}) {
        EXPECT_PRED_FORMAT2(::testing::IsSubstring, ", expected 0..5",
                            error_of_file(fmt::format(R"({{"train":[{}]}})", id), numbered));
    }
}

TEST(SplitFile, IsRefusedWhereItsHashDoesNotMatch) {
    const TemporaryDirectory directory;
    const Dataset dataset = six_nodes();
    write_split(directory / "split.json", {"s", {0, 1}, {2}, {3}}, dataset);
    std::string text = read_file(directory / "split.json");
    text.replace(text.find("n2"), 2, "n4");
    EXPECT_FILE_REFUSED(text, "the lists were changed after the split was written: their SHA-256 is ");
}

TEST(SplitFile, IsNotReadFromAFolderOrFromNowhere) {
    const TemporaryDirectory directory;
    EXPECT_REFUSED(read_split(directory.path(), six_nodes()), "is a folder");
    EXPECT_REFUSED(read_split(directory / "missing.json", six_nodes()), "cannot open: No such file");
}

TEST(SplitFile, BlamesNodeIdsOnlyForWhatTheyAre) {
    const TemporaryDirectory directory;
    Dataset dataset = six_nodes();
    EXPECT_REFUSED(write_split(directory / "split.json", {"mine\xff.json", {0}, {}, {}}, dataset),
                   "the name of the split 'mine\\xff.json' is not valid UTF-8");
    dataset.node_ids[5] = "\xe9t\xe9";
    write_split(directory / "split.json", {"s", {0}, {}, {}}, dataset);  // it does not name that node
    dataset.name = "caf\xe9";
    EXPECT_REFUSED(write_split(directory / "split.json", {"s", {0}, {}, {}}, dataset),
                   "the name of the dataset 'caf\\xe9' is not valid UTF-8");
}

TEST(SplitFile, IsNotWrittenWithIdsThatJsonCannotHold) {
    const TemporaryDirectory directory;
    Dataset dataset = six_nodes();
    dataset.node_ids[0] = "\xe9t\xe9";
    EXPECT_REFUSED(write_split(directory / "split.json", {"s", {0}, {}, {}}, dataset),
                   "split.json: cannot be written: the node id '\\xe9t\\xe9' is not valid UTF-8");
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
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
