#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/files/input_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/numpy/npy_format.hpp"
#include "io/numpy/npz_reader.hpp"
#include "test_data.hpp"
#include "zip_writer.hpp"

namespace hwgcn::npz_dataset_test {
namespace {

using namespace std::string_literals;
using testing::expect_input_error;

// Arrays by name, in the form of .npy files.
using Arrays = std::map<std::string, std::string>;

template <typename T>
std::string npy(const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
    return format_npy_header(dtype_of<T>(), shape) +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string npy_text(const std::string& dtype, std::vector<std::int64_t> shape, const std::string& bytes) {
    return format_npy_header(dtype, shape) + bytes;
}

// A path of three nodes with two features.
Arrays small_arrays() {
    return {{"adj_data", npy<float>({1, 1, 1, 1})},
            {"adj_indices", npy<std::int32_t>({1, 0, 2, 1})},
            {"adj_indptr", npy<std::int32_t>({0, 1, 3, 4})},
            {"adj_shape", npy<std::int64_t>({3, 3})},
            {"attr_data", npy<float>({2, 0, 3})},
            {"attr_indices", npy<std::int32_t>({0, 1, 1})},
            {"attr_indptr", npy<std::int32_t>({0, 1, 2, 3})},
            {"attr_shape", npy<std::int64_t>({3, 2})},
            {"labels", npy<std::int64_t>({7, 4, 7})}};
}

Dataset assembled(const Arrays& arrays) {
    std::vector<testing::ZipMember> members;
    for (const auto& [name, bytes] : arrays)
        members.push_back({name + ".npy", bytes});
    const std::string zip = testing::make_zip(members);
    return assemble_npz(read_npz_memory(zip, "folder/small.npz"));
}

Dataset assembled_with(const std::string& name, const std::string& array) {
    Arrays arrays = small_arrays();
    arrays[name] = array;
    return assembled(arrays);
}

void expect_refused(const std::string& name, const std::string& array,
                    std::initializer_list<std::string_view> parts) {
    expect_input_error([&] { assembled_with(name, array); }, parts);
}

std::set<std::pair<Index, Index>> both_ways(const Dataset& dataset) {
    std::set<std::pair<Index, Index>> pairs;
    for (const Edge& edge : dataset.edges) {
        pairs.emplace(edge.from, edge.to);
        pairs.emplace(edge.to, edge.from);
    }
    return pairs;
}

TEST(NpzDataset, ReadsTheLayoutOfPyg) {
    const Dataset dataset = assembled(small_arrays());
    EXPECT_EQ(dataset.name, "small");
    EXPECT_EQ(dataset.source, "folder/small.npz");
    EXPECT_EQ(dataset.nodes, 3);
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
    EXPECT_EQ(dataset.features.columns, 2);
    EXPECT_EQ(dataset.features.offsets, (std::vector<std::int64_t>{0, 1, 1, 2}));  // without the stored zero
    EXPECT_EQ(dataset.features.values, (std::vector<float>{2, 3}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{1, 0, 1}));
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"4", "7"}));
    EXPECT_TRUE(dataset.notes.empty());
}

TEST(NpzDataset, LabelsMayBeMissingOrUnknown) {
    Arrays arrays = small_arrays();
    arrays.erase("labels");
    EXPECT_EQ(assembled(arrays).labels, (std::vector<Index>{-1, -1, -1}));
    EXPECT_EQ(assembled(arrays).classes(), 0);
    EXPECT_EQ(assembled_with("labels", npy<std::int16_t>({-1, 3, -1})).labels,
              (std::vector<Index>{unlabelled, 0, unlabelled}));
    EXPECT_THAT(assembled_with("labels", npy<std::int16_t>({-1, 3, -1})).notes,
                ::testing::ElementsAre(::testing::HasSubstr("the label -1 counts as not known (2 nodes)")));
    const Dataset floats = assembled_with("labels", npy<double>({std::nan(""), 12, 9}));
    EXPECT_TRUE(floats.notes.empty());
    EXPECT_EQ(floats.labels, (std::vector<Index>{unlabelled, 1, 0}));
    EXPECT_EQ(floats.class_names, (std::vector<std::string>{"9", "12"}));
}

TEST(NpzDataset, ClassNamesFixTheNumberOfClasses) {
    Arrays arrays = small_arrays();
    arrays["labels"] = npy<std::int64_t>({2, 0, -1});
    arrays["class_names"] = npy_text("|S2", {3}, "abcdef");
    const Dataset dataset = assembled(arrays);
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"ab", "cd", "ef"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{2, 0, unlabelled}));
    arrays["labels"] = npy<std::int64_t>({2, 3, 0});
    expect_input_error([&] { assembled(arrays); }, {"array 'labels': element 1 is class 3, outside the 3"});
}

TEST(NpzDataset, LabelsMayBeText) {
    const Dataset dataset = assembled_with("labels", npy_text("|S3", {3}, "dogcat\0\0\0"s));
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"cat", "dog"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{1, 0, unlabelled}));
}

TEST(NpzDataset, FeaturesMayBeDenseOrMissing) {
    Arrays arrays = small_arrays();
    for (const std::string name : {"data", "indices", "indptr", "shape"})
        arrays.erase("attr_" + name);
    EXPECT_EQ(assembled(arrays).features.columns, 0);
    EXPECT_EQ(assembled(arrays).features.rows, 3);
    arrays["attr_matrix"] = npy<double>({0, 1, 2, 0, 0, 0.5}, {3, 2});
    const CsrMatrix<float> features = assembled(arrays).features;
    EXPECT_EQ(features.offsets, (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(features.indices, (std::vector<Index>{1, 0, 1}));
    EXPECT_EQ(features.values, (std::vector<float>{1, 2, 0.5F}));
}

TEST(NpzDataset, WithoutWeightsEveryEdgeCounts) {
    Arrays arrays = small_arrays();
    arrays.erase("adj_data");
    EXPECT_EQ(assembled(arrays).edges.size(), 4U);
}

TEST(NpzDataset, NotesWhatItIgnores) {
    const Dataset one_way = assembled_with("adj_data", npy<float>({1, 0, 1, 1}));
    EXPECT_EQ(one_way.edges.size(), 3U);
    EXPECT_TRUE(one_way.directed);
    EXPECT_TRUE(one_way.edge_weights.empty());
    EXPECT_THAT(one_way.notes,
                ::testing::ElementsAre("folder/small.npz: 1 edge of weight 0 is left out",
                                       "connections that go one way only: 1: the graph is directed "
                                       "(`undirected` reads it as going both ways)"));
    EXPECT_THAT(assembled_with("idx_to_class", npy_text("|O", {}, "pickle")).notes,
                ::testing::ElementsAre("arrays not used: idx_to_class"));
    EXPECT_THAT(assembled_with("class_names", npy_text("|O", {2}, "pickle")).notes,
                ::testing::ElementsAre("the array 'class_names' is ignored: it does not hold plain text"));
    const Dataset repeated = assembled_with("node_names", npy_text("|S1", {3}, "aba"));
    EXPECT_TRUE(repeated.node_ids.empty());
    EXPECT_THAT(repeated.notes,
                ::testing::ElementsAre(::testing::HasSubstr("several nodes have the same name")));
}

TEST(NpzDataset, ValuesThatDifferAreWeights) {
    const Dataset symmetric = assembled_with("adj_data", npy<float>({2, 2, 1, 1}));
    EXPECT_EQ(symmetric.edge_weights, (std::vector<float>{2, 2, 1, 1}));
    EXPECT_FALSE(symmetric.directed);
    EXPECT_TRUE(symmetric.notes.empty());
    EXPECT_TRUE(assembled_with("adj_data", npy<float>({3, 3, 3, 3})).edge_weights.empty());
    const Dataset unequal = assembled_with("adj_data", npy<float>({1, 2, 1, 1}));
    EXPECT_TRUE(unequal.directed);
    EXPECT_THAT(unequal.notes, ::testing::ElementsAre(::testing::HasSubstr("one way than the other: 1")));
}

TEST(NpzDataset, RefusesAdjacenciesThatAreNone) {
    expect_refused("adj_shape", npy<std::int64_t>({3, 4}),
                   {"folder/small.npz: ", "3 x 4, expected a square"});
    expect_refused("adj_shape", npy<std::int64_t>({3}), {"a shape of 1 numbers"});
    expect_refused("adj_shape", npy<std::int64_t>({-3, 3}), {"a size of -3"});
    expect_refused("adj_shape", npy<std::int64_t>({1LL << 40, 1LL << 40}), {"a size of 1099511627776"});
    expect_refused("adj_shape", npy<std::int64_t>({2147483646, 2147483646}), {"indptr has 4 elements"});
    expect_refused("adj_indices", npy<std::int32_t>({1, 0, 3, 1}), {"entry 2 has the index 3, outside 0..2"});
    expect_refused("adj_indices", npy<std::int32_t>({1, 0, -1, 1}), {"entry 2 has the index -1"});
    expect_refused("adj_indices", npy<std::int32_t>({1, 0, 2}), {"indptr runs from 0 to 4, expected 0 to 3"});
    expect_refused("adj_indices", npy<std::int32_t>({1, 0, 2, 1}, {2, 2}), {"shape (2, 2), expected 1 axis"});
    expect_refused("adj_indices", npy<double>({1, 0, 0.5, 1}), {"'adj_indices': element 2 is 0.5"});
    expect_refused("adj_indptr", npy<std::int32_t>({0, 3, 2, 4}), {"indptr descends at element 2"});
    expect_refused("adj_data", npy<float>({1, 1, 1}), {"3 values for 4 indices"});
    expect_refused("adj_data", npy<float>({1, 1, 1, std::nanf("")}), {"edge 2-1 has the weight nan"});
    expect_refused("adj_data", npy<float>({1, 1, -1, 1}), {"edge 1-2 has the weight -1", "`weight=none`"});
}

TEST(NpzDataset, RefusesFeaturesAndLabelsThatDoNotFit) {
    expect_refused("attr_shape", npy<std::int64_t>({2, 2}), {"indptr has 4 elements, expected 3"});
    expect_refused("attr_data", npy<double>({2, 1e300, 3}), {"small.npz: node 1: feature 1 is inf"});
    expect_refused("labels", npy<std::int64_t>({1, 2}), {"array 'labels': has 2 elements for 3 nodes"});
    expect_refused("labels", npy<std::int64_t>({1, 0, 0}, {3, 1}), {"'labels': has the shape (3, 1)"});
    expect_refused("labels", npy<double>({1, 0.5, 0}), {"element 1 is 0.5, expected a whole number or NaN"});
    expect_refused("labels", npy_text("|O", {3}, "pickle"), {"'labels': holds pickled Python objects"});
    expect_refused("node_names", npy_text("|S1", {2}, "ab"), {"has 2 node ids, expected 3"});
    expect_refused("attr_names", npy_text("|S1", {3}, "abc"), {"has 3 feature names, expected 2"});
    Arrays arrays = small_arrays();
    arrays.erase("attr_indices");
    arrays["attr_matrix"] = npy<float>({1, 2}, {2, 1});
    expect_input_error([&] { assembled(arrays); }, {"features for 2 nodes, but the adjacency has 3"});
}

TEST(NpzDataset, RefusesArchivesWithoutAGraph) {
    expect_input_error(
        [] {
            assembled({{"x", npy<float>({1})}, {"y", npy<float>({1})}});
        },
        {"folder/small.npz: holds no graph", "adj_indices", "found x, y"});
    Arrays arrays = small_arrays();
    arrays.erase("adj_indptr");
    expect_input_error([&] { assembled(arrays); }, {"folder/small.npz: has no array 'adj_indptr'"});
}

Arrays scipy_arrays(const std::string& format) {
    Arrays arrays = {{"format", npy_text("|S3", {}, format)},
                     {"shape", npy<std::int64_t>({3, 3})},
                     {"data", npy<double>({1, 1, 1})}};
    if (format == "coo") {
        arrays["row"] = npy<std::int32_t>({0, 0, 2});
        arrays["col"] = npy<std::int32_t>({1, 2, 2});
    } else {
        arrays["indptr"] = npy<std::int32_t>({0, 2, 2, 3});
        arrays["indices"] = npy<std::int32_t>({1, 2, 2});
    }
    return arrays;
}

TEST(NpzDataset, ReadsTheFormatsOfScipyAsAGraphWithoutFeatures) {
    const std::vector<Edge> edges = {{0, 1}, {0, 2}, {2, 2}};
    EXPECT_EQ(assembled(scipy_arrays("csr")).edges, edges);
    EXPECT_EQ(assembled(scipy_arrays("coo")).edges, edges);
    EXPECT_EQ(assembled(scipy_arrays("csc")).edges, (std::vector<Edge>{{1, 0}, {2, 0}, {2, 2}}));
    EXPECT_EQ(assembled(scipy_arrays("coo")).features.columns, 0);
    expect_input_error([] { assembled(scipy_arrays("bsr")); },
                       {"'format': is 'bsr', expected csr, csc or coo"});
}

TEST(NpzDataset, RefusesANumberOfNodesThatNothingSupports) {
    Arrays arrays = scipy_arrays("coo");
    arrays["shape"] = npy<std::int64_t>({2000000000, 2000000000});
    expect_input_error([&] { assembled(arrays); }, {"claims 2000000000 nodes for 3 edges"});
}

Dataset rich_dataset() {
    Dataset dataset;
    dataset.name = "rich";
    dataset.source = "built-in";
    dataset.nodes = 4;
    dataset.edges = {{2, 0}, {0, 2}, {0, 2}, {1, 1}, {3, 2}};
    dataset.features = {4, 3, {0, 2, 2, 3, 4}, {0, 2, 1, 0}, {0.5F, 1.0F, 3.25F, 1e-30F}};
    dataset.labels = {0, 2, unlabelled, 0};
    dataset.class_names = {"theory", "", "Ökonomie €"};  // the second has no node
    dataset.node_ids = {"n0", "paper 1", "ü", "a much longer name"};
    dataset.feature_names = {"x", "yy", "zzz"};
    dataset.published_split = Split{"planetoid", {0}, {1}, {3}};
    return dataset;
}

TEST(NpzDataset, ADatasetComesBackWhole) {
    const testing::TemporaryDirectory folder;
    const Dataset written = rich_dataset();
    write_npz_dataset(folder / "rich.npz", written);
    const Dataset read = read_npz_dataset(folder / "rich.npz");
    EXPECT_EQ(read.name, written.name);
    EXPECT_EQ(read.nodes, written.nodes);
    EXPECT_EQ(both_ways(read), both_ways(written));
    EXPECT_EQ(read.edges.size(), both_ways(written).size());
    EXPECT_EQ(read.features.columns, written.features.columns);
    EXPECT_EQ(read.features.offsets, written.features.offsets);
    EXPECT_EQ(read.features.indices, written.features.indices);
    EXPECT_EQ(read.features.values, written.features.values);
    EXPECT_EQ(read.labels, written.labels);
    EXPECT_EQ(read.class_names, written.class_names);
    EXPECT_EQ(read.node_ids, written.node_ids);
    EXPECT_EQ(read.feature_names, written.feature_names);
    ASSERT_TRUE(read.published_split);
    EXPECT_EQ(read.published_split->name, "planetoid");
    EXPECT_EQ(read.published_split->train, written.published_split->train);
    EXPECT_EQ(read.published_split->validation, written.published_split->validation);
    EXPECT_EQ(read.published_split->test, written.published_split->test);
    EXPECT_TRUE(read.notes.empty());

    write_npz_dataset(folder / "again.npz", read);
    EXPECT_EQ(read_file(folder / "rich.npz"), read_file(folder / "again.npz"));
}

// They decide how features are scaled: logarithms are for columns of tables, and not for those of a matrix.
TEST(NpzDataset, ColumnsOfATableStayWhatTheyAre) {
    const testing::TemporaryDirectory folder;
    Dataset written = rich_dataset();
    written.feature_kinds.assign(static_cast<std::size_t>(written.features.columns), FeatureKind::column);
    written.feature_kinds[0] = FeatureKind::category;
    written.feature_names[0] = "city=Rome";
    write_npz_dataset(folder / "table.npz", written);
    const Dataset read = read_npz_dataset(folder / "table.npz");
    EXPECT_EQ(read.feature_kinds, written.feature_kinds);
    ASSERT_EQ(read.columns.size(), 1U);
    EXPECT_EQ(read.columns[0].name, "city");
    EXPECT_TRUE(read.notes.empty());
}

TEST(NpzDataset, NamesThatAreNotUtf8ComeBackAsTheyAre) {
    const testing::TemporaryDirectory folder;
    Dataset dataset = rich_dataset();
    dataset.node_ids = {"\xff", "\xc0\xaf", "plain", "\xed\xa0\x80"};
    write_npz_dataset(folder / "f.npz", dataset);
    EXPECT_EQ(read_npz_dataset(folder / "f.npz").node_ids, dataset.node_ids);
}

TEST(NpzDataset, AGraphAloneComesBack) {
    const testing::TemporaryDirectory folder;
    Dataset dataset;
    dataset.nodes = 2;
    dataset.features = {2, 0, {0, 0, 0}, {}, {}};
    dataset.labels = {unlabelled, unlabelled};
    write_npz_dataset(folder / "f.npz", dataset);
    const Dataset read = read_npz_dataset(folder / "f.npz");
    EXPECT_EQ(read.nodes, 2);
    EXPECT_TRUE(read.edges.empty());
    EXPECT_EQ(read.classes(), 0);
    EXPECT_FALSE(read.published_split);
}

TEST(NpzDataset, AMatrixForScipyHoldsItsArrays) {
    const testing::TemporaryDirectory folder;
    const CsrMatrix<double> matrix{2, 2, {0, 1, 2}, {1, 0}, {0.1, 1.0}};
    write_scipy_npz(folder / "w.npz", matrix);
    const NpzArchive archive = read_npz(folder / "w.npz");
    EXPECT_EQ(archive.values<double>("data"), matrix.values);
    EXPECT_EQ(archive.values<Index>("indices"), matrix.indices);
    EXPECT_EQ(archive.values<std::int64_t>("indptr"), matrix.offsets);
    EXPECT_EQ(archive.values<std::int64_t>("shape"), (std::vector<std::int64_t>{2, 2}));
    EXPECT_EQ(to_strings(archive.array("format"), "f"), std::vector<std::string>{"csr"});
    EXPECT_EQ(read_npz_dataset(folder / "w.npz").edges.size(), 2U);
}

struct Known {
    std::string name;
    Index nodes;
    std::int64_t connections;
    Index features, classes;
};

class NpzOnRealData : public ::testing::TestWithParam<Known> {};

TEST_P(NpzOnRealData, HasTheKnownNumbers) {
    const auto data = HWGCN_REAL_DATA();
    const Dataset dataset = read_npz_dataset(data / "npz" / (GetParam().name + ".npz"));
    EXPECT_EQ(dataset.name, GetParam().name);
    EXPECT_EQ(dataset.nodes, GetParam().nodes);
    std::set<std::pair<Index, Index>> connections;
    for (const Edge& edge : dataset.edges) {
        if (edge.from != edge.to) connections.insert(std::minmax(edge.from, edge.to));
    }
    EXPECT_EQ(std::ssize(connections), GetParam().connections);
    EXPECT_EQ(dataset.features.columns, GetParam().features);
    EXPECT_EQ(dataset.classes(), GetParam().classes);
    EXPECT_EQ(std::count(dataset.labels.begin(), dataset.labels.end(), unlabelled), 0);
    EXPECT_TRUE(dataset.notes.empty());
}

INSTANTIATE_TEST_SUITE_P(Npz, NpzOnRealData,
                         ::testing::Values(Known{"amazon_photo", 7650, 119081, 745, 8},
                                           Known{"coauthor_cs", 18333, 81894, 6805, 15},
                                           Known{"cora_ml", 2995, 8158, 2879, 7}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace hwgcn::npz_dataset_test
