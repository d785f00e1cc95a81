#include "io/planetoid/planetoid_reader.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/io/readers.hpp"

#include "base/files/atomic_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/pickle_writer.hpp"
#include "test_data.hpp"

namespace hwgcn::planetoid_reader_test {
namespace {

using namespace testing::pickled;
using testing::expect_input_error;

std::string& part(PlanetoidFiles& files, std::string_view name) {
    const auto found = std::find(planetoid_parts.begin(), planetoid_parts.end(), name);
    return files.contents.at(static_cast<std::size_t>(found - planetoid_parts.begin()));
}

// Seven nodes, three features, two classes. Rows 0..3 are allx, of which 0 and 1 train; 2 has no label. The
// test nodes are 6 and 4, in that order; 5 is missing from test.index.
PlanetoidFiles small_dataset() {
    PlanetoidFiles files{"folder/ind.small", {}};
    part(files, "x") = file(csr({{2, 3}, {0, 1, 2}, {0, 1}, {1, 1}}));
    part(files, "y") = file(int_array({2, 2}, {1, 0, 0, 1}));
    part(files, "tx") = file(csr({{2, 3}, {0, 2, 3}, {2, 0, 1}, {6, 5, 4}}));
    part(files, "ty") = file(int_array({2, 2}, {0, 1, 1, 0}));
    part(files, "allx") = file(csr({{4, 3}, {0, 1, 2, 3, 4}, {0, 1, 2, 0}, {1, 1, 2, 3}}));
    part(files, "ally") = file(int_array({4, 2}, {1, 0, 0, 1, 0, 0, 1, 0}));
    part(files, "graph") = file(graph({{1, 1}, {0}, {2}, {6}, {}, {}, {3}}));
    part(files, "test.index") = "6\n4\r\n\n";
    return files;
}

TEST(Planetoid, NodesAreTheRowsOfAllxThenTheTestNodesByTheirNumbers) {
    const Dataset dataset = assemble_planetoid(small_dataset());
    EXPECT_EQ(dataset.name, "small");
    EXPECT_EQ(dataset.source, "folder/ind.small");
    EXPECT_EQ(dataset.nodes, 7);
    EXPECT_EQ(dataset.labels, (std::vector<Index>{0, 1, unlabelled, 0, 0, unlabelled, 1}));
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"0", "1"}));
    EXPECT_EQ(dataset.features.rows, 7);
    EXPECT_EQ(dataset.features.columns, 3);
    EXPECT_EQ(dataset.features.offsets, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 5, 7}));
    EXPECT_EQ(dataset.features.indices, (std::vector<Index>{0, 1, 2, 0, 1, 0, 2}));
    EXPECT_EQ(dataset.features.values, (std::vector<float>{1, 1, 2, 3, 4, 5, 6}));
    EXPECT_TRUE(dataset.node_ids.empty());
    EXPECT_EQ(node_id(dataset, 5), "5");
}

TEST(Planetoid, EdgesArePassedOnAsRead) {
    const std::vector<Edge> expected = {{0, 1}, {0, 1}, {1, 0}, {2, 2}, {3, 6}, {6, 3}};
    EXPECT_EQ(assemble_planetoid(small_dataset()).edges, expected);
}

TEST(Planetoid, ThePublishedSplitHoldsLabelledNodesOnly) {
    const Dataset dataset = assemble_planetoid(small_dataset());
    ASSERT_TRUE(dataset.published_split);
    EXPECT_EQ(dataset.published_split->name, "planetoid");
    EXPECT_EQ(dataset.published_split->train, (std::vector<Index>{0, 1}));
    EXPECT_EQ(dataset.published_split->validation, (std::vector<Index>{3}));
    EXPECT_EQ(dataset.published_split->test, (std::vector<Index>{4, 6}));
}

TEST(Planetoid, SaysWhichNodesAreMissingFromTheTestIndex) {
    const std::vector<std::string> notes = assemble_planetoid(small_dataset()).notes;
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0], "test.index leaves out 1 of the nodes: they have no label and no features");
}

TEST(Planetoid, LabelsMayBeOfAnyNumericType) {
    PlanetoidFiles files = small_dataset();
    const std::vector<double> one_hot = {1, 0, 0, 1};
    part(files, "y") = file(array(dtype("<", "f8"), {2, 2}, raw(one_hot)));
    EXPECT_EQ(assemble_planetoid(files).published_split->train, (std::vector<Index>{0, 1}));
}

void expect_refused(std::string_view name, const std::string& content,
                    std::initializer_list<std::string_view> parts) {
    PlanetoidFiles files = small_dataset();
    part(files, name) = content;
    expect_input_error([&] { assemble_planetoid(files); }, parts);
}

TEST(Planetoid, RefusesFilesThatDoNotFitTogether) {
    expect_refused("x", file(csr({{1, 3}, {0, 0}, {}, {}})),
                   {"folder/ind.small: numbers of rows disagree: 1 and 2 in the files x and y"});
    expect_refused("ty", file(int_array({1, 2}, {1, 0})), {"disagree: 2 and 1 in the files tx and ty"});
    expect_refused("ally", file(int_array({1, 2}, {1, 0})), {"4 and 1 in the files allx and ally"});
    expect_refused("x", file(csr({{2, 5}, {0, 0, 0}, {}, {}})), {"numbers of features disagree: 5 and 3"});
    expect_refused("tx", file(csr({{2, 2}, {0, 0, 0}, {}, {}})), {"numbers of features disagree: 2 and 3"});
    expect_refused("y", file(int_array({2, 3}, {1, 0, 0, 0, 1, 0})),
                   {"numbers of classes disagree: 3 and 2"});
    expect_refused("ty", file(int_array({2, 1}, {1, 1})), {"numbers of classes disagree: 1 and 2"});
    expect_refused("test.index", "6\n", {"numbers of test nodes disagree: 2 and 1"});
}

TEST(Planetoid, RefusesTrainingNodesThatAllxDoesNotHave) {
    PlanetoidFiles files = small_dataset();
    part(files, "allx") = file(csr({{1, 3}, {0, 0}, {}, {}}));
    part(files, "ally") = file(int_array({1, 2}, {1, 0}));
    expect_input_error([&] { assemble_planetoid(files); }, {"x has 2 rows, more than the 1 of allx"});
}

TEST(Planetoid, RefusesTrainingLabelsThatDisagree) {
    expect_refused("y", file(int_array({2, 2}, {1, 0, 1, 0})),
                   {"ind.small: row 1 has class 0 in y and 1 in ally"});
}

TEST(Planetoid, RefusesATestIndexOutOfPlace) {
    expect_refused("test.index", "6\nfour\n",
                   {"ind.small.test.index:2: expected the number of a node, found 'four'"});
    expect_refused("test.index", "6\n-4\n", {"test.index:2:", "'-4'"});
    expect_refused("test.index", "6\n4.0\n", {"test.index:2:"});
    expect_refused("test.index", "99999999999\n4\n", {"test.index:1:"});
    expect_refused("test.index", "", {"names no test node"});
    expect_refused("test.index", "6\n6\n", {"test node 6 is listed twice"});
    expect_refused("test.index", "6\n3\n", {"test node 3 is one of the 4 rows of allx"});
    expect_refused("test.index", "6\n7\n", {"test node 7 is outside the 7 nodes of the graph"});
    expect_refused("test.index", "6\n2147483647\n", {"test node 2147483647 is outside"});
}

TEST(Planetoid, RefusesNodesThatTheGraphCannotHave) {
    expect_refused("graph", file(graph({{7}, {}, {}, {}, {}, {}, {}})),
                   {"ind.small.graph: node 7 is outside 0..6"});
    expect_refused("graph", file(graph({{-1}})), {"ind.small.graph: byte", "node -1 is outside"});
    expect_refused("graph", file(dict({text("a"), list({})})), {"expected an integer, found a string"});
    expect_refused("graph", file(dict({integer(0), integer(1)})), {"expected a list, found an integer"});
    expect_refused("graph", file(list({})), {"expected a dict, found a list"});
}

TEST(Planetoid, RefusesListsThatUnfoldToMoreThanTheFile) {
    // One list of a hundred neighbors, shared by a thousand nodes.
    std::string shared = list(std::vector<std::string>(100, "K\x01"));
    std::string entries = "K\x01" + shared + "q\x01";
    for (int node = 0; node < 1000; ++node)
        entries += "K\x01h\x01";
    expect_refused("graph", file("}(" + entries + "u"), {"more neighbors than the file has bytes"});
}

TEST(Planetoid, RefusesLabelsThatAreNotOneHot) {
    const std::string message = "row 1 is not one-hot";
    expect_refused("ty", file(int_array({2, 2}, {0, 1, 1, 1})), {"ind.small.ty: ", message});
    expect_refused("ty", file(int_array({2, 2}, {0, 1, 2, 0})), {message});
    expect_refused("ty", file(int_array({2, 2}, {0, 1, -1, 1})), {message});
    expect_refused("ty", file(int_array({4}, {0, 1, 1, 0})), {"has the shape (4), expected 2 axes"});
    expect_refused("ty", file(int_array({2147483647, 0}, {})), {"has no labels"});
}

TEST(Planetoid, RefusesFeaturesThatAreInfinite) {
    const auto features = [](float value) { return file(csr({{2, 3}, {0, 1, 1}, {1}, {value}})); };
    expect_refused("tx", features(std::numeric_limits<float>::infinity()),
                   {"folder/ind.small: node 6: feature 1 is inf"});
}

TEST(Planetoid, NamesEveryMissingFileInOneMessage) {
    const testing::TemporaryDirectory folder;
    const PlanetoidFiles files = small_dataset();
    for (std::size_t i = 0; i < planetoid_parts.size(); ++i) {
        write_text_atomically(folder / ("ind.small." + std::string(planetoid_parts[i])), files.contents[i]);
    }
    EXPECT_EQ(read_planetoid(folder / "ind.small").nodes, 7);
    std::filesystem::remove(folder / "ind.small.tx");
    std::filesystem::remove(folder / "ind.small.graph");
    expect_input_error([&] { read_planetoid(folder / "ind.small"); },
                       {"missing ind.small.tx, ind.small.graph",
                        "the eight files ind.small.{x,y,tx,ty,allx,ally,graph,test.index}"});
}

struct Published {
    std::string name;
    Index nodes, features;
    std::int64_t entries, citations;
    Index classes, unlabelled_nodes, train;
};

class PlanetoidOnRealData : public ::testing::TestWithParam<Published> {};

TEST_P(PlanetoidOnRealData, HasThePublishedNumbers) {
    const auto data = HWGCN_REAL_DATA();
    const Published& published = GetParam();
    const Dataset dataset = read_planetoid(data / "planetoid" / ("ind." + published.name));
    EXPECT_EQ(dataset.name, published.name);
    EXPECT_EQ(dataset.nodes, published.nodes);
    EXPECT_EQ(dataset.features.columns, published.features);
    EXPECT_EQ(dataset.features.entries(), published.entries);
    EXPECT_EQ(std::ssize(dataset.edges), published.citations);
    EXPECT_EQ(dataset.classes(), published.classes);
    EXPECT_EQ(std::count(dataset.labels.begin(), dataset.labels.end(), unlabelled),
              published.unlabelled_nodes);
    ASSERT_TRUE(dataset.published_split);
    const Split& split = *dataset.published_split;
    EXPECT_EQ(std::ssize(split.train), published.train);
    EXPECT_EQ(std::ssize(split.validation), 500);
    EXPECT_EQ(split.validation.front(), published.train);
    EXPECT_EQ(std::ssize(split.test), 1000);
    EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
    // Twenty training nodes of every class.
    std::vector<int> per_class(static_cast<std::size_t>(dataset.classes()));
    for (const Index node : split.train)
        ++per_class[dataset.labels[node]];
    EXPECT_EQ(per_class, std::vector<int>(per_class.size(), 20));
}

INSTANTIATE_TEST_SUITE_P(Planetoid, PlanetoidOnRealData,
                         ::testing::Values(Published{"cora", 2708, 1433, 49216, 10858, 7, 0, 140},
                                           Published{"citeseer", 3327, 3703, 105165, 9464, 6, 15, 120},
                                           Published{"pubmed", 19717, 500, 988031, 88676, 3, 0, 60}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace hwgcn::planetoid_reader_test
