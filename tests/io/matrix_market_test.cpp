#include "io/matrix_market/matrix_market.hpp"

#include <cstring>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/io/writers.hpp"

#include "base/files/atomic_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/gzip_for_tests.hpp"
#include "test_data.hpp"

namespace hwgcn::matrix_market_test {
namespace {

using testing::expect_input_error;

struct Entry {
    Index row;
    Index column;
    float value;

    friend bool operator==(const Entry&, const Entry&) = default;
};

std::vector<Entry> entries_of(std::string_view text) {
    std::vector<Entry> entries;
    for (const auto& [row, column, value] : parse_matrix_market("m.mtx", text, ValueRange::finite).entries)
        entries.push_back({row, column, value});
    return entries;
}

void refuse(const std::string& text, std::initializer_list<std::string_view> parts) {
    expect_input_error([&] { parse_matrix_market("m.mtx", text, ValueRange::finite); }, parts);
}

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string array = "%%MatrixMarket matrix array real general\n";
const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";

Dataset parse(std::string_view adjacency, std::string_view features = "", std::string_view labels = "") {
    return parse_matrix_market_dataset(
        {"a.mtx", features.empty() ? "" : "f.mtx", labels.empty() ? "" : "l.txt"}, adjacency, features,
        labels);
}

TEST(MatrixMarket, ReadsCoordinates) {
    EXPECT_EQ(entries_of(coordinate + "% comment\n\n3 4 3\n1 1 0.5\r\n 3\t4 -2e1 \n2 2 0\n"),
              (std::vector<Entry>{{0, 0, 0.5f}, {2, 3, -20.0f}}));
    EXPECT_EQ(entries_of(pattern + "2 2 2\n1 2\n2 1\n"), (std::vector<Entry>{{0, 1, 1.0f}, {1, 0, 1.0f}}));
    EXPECT_EQ(entries_of("%%matrixmarket MATRIX Coordinate INTEGER General\n1 1 1\n1 1 7\n"),
              (std::vector<Entry>{{0, 0, 7.0f}}));
    EXPECT_EQ(entries_of(coordinate + "0 0 0\n"), std::vector<Entry>{});
}

TEST(MatrixMarket, ReadsArraysColumnByColumn) {
    EXPECT_EQ(entries_of(array + "2 2\n1\n2\n0\n4\n"),
              (std::vector<Entry>{{0, 0, 1.0f}, {1, 0, 2.0f}, {1, 1, 4.0f}}));
    EXPECT_EQ(entries_of("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
              (std::vector<Entry>{{0, 0, 1}, {1, 0, 2}, {2, 0, 3}, {1, 1, 4}, {2, 1, 5}, {2, 2, 6}}));
}

TEST(MatrixMarket, RefusesUnsupportedKindsByName) {
    refuse("%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
           {"m.mtx:1: type 'complex' is not supported, expected real or integer or pattern"});
    refuse("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", {"m.mtx:1: symmetry 'hermitian'"});
    refuse("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", {"symmetry 'skew-symmetric'"});
    refuse("%%MatrixMarket matrix list real general\n1 1 0\n", {"format 'list'"});
    refuse("%%MatrixMarket matrix array pattern general\n1 1\n", {"m.mtx:1:", "'pattern'"});
    refuse("%%MatrixMarket vector coordinate real general\n1 1 0\n",
           {"m.mtx:1: expected '%%MatrixMarket matrix"});
    refuse("1,2\n2,3\n", {"m.mtx:1: expected '%%MatrixMarket", "found '1,2'"});
    refuse("", {"m.mtx: is empty"});
}

TEST(MatrixMarket, RefusesSizesThatMakeNoSense) {
    refuse(coordinate, {"m.mtx: ends before the line with the rows, columns and entries"});
    refuse(coordinate + "% only comments\n", {"m.mtx: ends before"});
    refuse(coordinate + "3 3\n", {"m.mtx:2: expected 3 numbers", "found 2"});
    refuse(array + "3 3 9\n", {"m.mtx:2: expected 2 numbers", "found 3"});
    refuse(coordinate + "x 3 1\n", {"m.mtx:2: expected the number of rows, found 'x'"});
    refuse(coordinate + "3 -3 1\n", {"m.mtx:2: number of columns -3 is outside 0..2147483647"});
    refuse(coordinate + "3000000000 3 1\n", {"m.mtx:2: number of rows 3000000000 is outside"});
    refuse(coordinate + "3 3 99999999999999999999\n", {"m.mtx:2: expected the number of entries"});
    refuse("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", {"m.mtx:2:", "square, found 2 x 3"});
}

TEST(MatrixMarket, RefusesCountsThatLie) {
    refuse(coordinate + "3 3 3\n1 1 1\n2 2 2\n", {"m.mtx: 3 entries announced, found 2"});
    refuse(coordinate + "3 3 1\n1 1 1\n2 2 2\n", {"m.mtx:4: more than the 1 entries announced"});
    refuse(coordinate + "3 3 9223372036854775807\n1 1 1\n",
           {"9223372036854775807 entries announced, found 1"});
    refuse(array + "2 2\n1\n2\n3\n", {"m.mtx: 4 entries announced, found 3"});
    refuse(array + "2147483647 2147483647\n1\n", {"entries announced, found 1"});
    refuse("%%MatrixMarket matrix array real symmetric\n2147483647 2147483647\n1\n", {"announced, found 1"});
    refuse(array + "1 1\n1\n2\n", {"m.mtx:4: more than the 1 entries"});
}

TEST(MatrixMarket, RefusesBadEntriesWithTheirLine) {
    refuse(coordinate + "3 3 1\n0 1 1\n", {"m.mtx:3: row 0 is outside 1..3"});
    refuse(coordinate + "3 3 1\n1 4 1\n", {"m.mtx:3: column 4 is outside 1..3"});
    refuse(coordinate + "0 0 1\n1 1 1\n", {"m.mtx:3: row 1 is outside 1..0"});
    refuse(coordinate + "3 3 1\n1 one 1\n", {"m.mtx:3: expected the column, found 'one'"});
    refuse(coordinate + "3 3 1\n1 1 x\n", {"m.mtx:3: expected a finite number, found 'x'"});
    refuse(coordinate + "3 3 1\n1 1 nan\n", {"m.mtx:3: expected a finite number, found 'nan'"});
    refuse(coordinate + "3 3 1\n1 1 1e99\n", {"m.mtx:3: expected a finite number, found '1e99'"});
    refuse(coordinate + "3 3 1\n1 1\n", {"m.mtx:3: expected 3 numbers per entry, found 2"});
    refuse(pattern + "3 3 1\n1 1 1\n", {"m.mtx:3: expected 2 numbers per entry, found 3"});
    refuse(array + "1 2\n1 2\n", {"m.mtx:3: expected 1 numbers per entry, found 2"});
}

TEST(MatrixMarketDataset, ReadsGraphFeaturesAndLabels) {
    const Dataset dataset = parse(pattern + "3 3 3\n1 2\n2 2\n3 1\n",
                                  coordinate + "3 2 3\n1 2 0.5\n1 2 0.25\n3 1 4\n", "b\nNaN\na\n");
    EXPECT_EQ(dataset.nodes, 3);
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{0, 1}, {1, 1}, {2, 0}}));
    EXPECT_EQ(dataset.features.offsets, (std::vector<std::int64_t>{0, 1, 1, 2}));
    EXPECT_EQ(dataset.features.indices, (std::vector<Index>{1, 0}));
    EXPECT_EQ(dataset.features.values, (std::vector<float>{0.75f, 4.0f}));
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{1, unlabelled, 0}));
    EXPECT_TRUE(dataset.directed);
    ASSERT_EQ(dataset.notes.size(), 1u);
    EXPECT_NE(dataset.notes[0].find("one way only: 2"), std::string::npos);
    EXPECT_EQ(dataset.name, "a");
}

TEST(MatrixMarketDataset, LabelsWithSeveralPartsAreMentioned) {
    const Dataset dataset = parse(pattern + "3 3 2\n1 2\n2 1\n", "", "a;b\nb;a\na\n");
    ASSERT_EQ(dataset.notes.size(), 1u);
    EXPECT_NE(dataset.notes[0].find("2 of 3 labels have several parts, such as 'a;b'"), std::string::npos);
}

TEST(MatrixMarketDataset, FeaturesAndLabelsAreOptional) {
    const Dataset dataset = parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n");
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{1, 0}}));
    EXPECT_EQ(dataset.features.rows, 2);
    EXPECT_EQ(dataset.features.columns, 0);
    EXPECT_EQ(dataset.labels, (std::vector<Index>{unlabelled, unlabelled}));
}

TEST(MatrixMarketDataset, ValuesAreWeightsAndZerosAreNoEdges) {
    const Dataset dataset = parse(coordinate + "3 3 3\n1 2 3.5\n2 1 0\n2 3 1\n");
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{0, 1}, {1, 2}}));
    EXPECT_EQ(dataset.edge_weights, (std::vector<float>{3.5f, 1.0f}));
    EXPECT_EQ(dataset.notes.size(), 2u);  // the zero, the directions
    EXPECT_TRUE(parse(coordinate + "3 3 2\n1 2 3.5\n2 3 3.5\n").edge_weights.empty());
}

TEST(MatrixMarketDataset, SymmetricFeaturesAreFilledIn) {
    const Dataset dataset =
        parse(pattern + "2 2 0\n", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 5\n");
    EXPECT_EQ(dataset.features.indices, (std::vector<Index>{0, 1, 0}));
    EXPECT_EQ(dataset.features.values, (std::vector<float>{3.0f, 5.0f, 5.0f}));
}

TEST(MatrixMarketDataset, FilesThatDoNotFitAreRefused) {
    const std::string graph = pattern + "2 2 1\n1 2\n";
    expect_input_error([&] { parse(pattern + "2 3 0\n"); },
                       {"a.mtx: an adjacency must be square, found 2 x 3"});
    expect_input_error([&] { parse(pattern + "0 0 0\n"); }, {"a.mtx: has no nodes"});
    expect_input_error([&] { parse(pattern + "2000000000 2000000000 1\n1 2\n"); },
                       {"a.mtx: claims 2000000000 nodes but has only 1 entries"});
    expect_input_error([&] { parse(graph, coordinate + "3 1 0\n"); }, {"f.mtx: has 3 rows, expected 2"});
    expect_input_error([&] { parse(graph, coordinate + "2 1 1\n1 1 inf\n"); },
                       {"f.mtx:3: expected a finite number, found 'inf'"});
    EXPECT_EQ(parse(graph, coordinate + "2 1 1\n1 1 -3\n").features.values, std::vector{-3.0F});
    EXPECT_TRUE(std::isnan(parse(graph, coordinate + "2 1 1\n1 1 nan\n").features.values.at(0)));
    expect_input_error([&] { parse(graph, "", "a\n"); }, {"l.txt: has 1 labels, expected 2"});
    expect_input_error([&] { parse(graph, "", "a\nb\n\nc\n"); },
                       {"l.txt:4: more labels than the 2 nodes, found 'c'"});
    expect_input_error([&] { read_matrix_market_dataset({}); }, {"no Matrix Market file"});
}

TEST(MatrixMarketDataset, ReadsCompressedFiles) {
    const testing::TemporaryDirectory folder;
    write_text_atomically(folder / "graph.mtx.gz", testing::gzip(pattern + "2 2 1\n1 2\n"));
    const Dataset dataset = read_matrix_market_dataset({folder / "graph.mtx.gz", {}, {}});
    EXPECT_EQ(dataset.name, "graph");
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{0, 1}}));
}

RC_GTEST_PROP(MatrixMarketDataset, WrittenDatasetsAreReadBackExactly, ()) {
    Dataset dataset;
    dataset.nodes = *rc::gen::inRange<Index>(1, 20);
    dataset.class_names = {"-2", "3", "20"};
    const auto width = *rc::gen::inRange<Index>(0, 4);
    std::vector<Triplet<float>> triplets;
    for (Index node = 0; node < dataset.nodes; ++node) {
        // Every class has a node: no class is lost.
        dataset.labels.push_back(node < 3 ? node : *rc::gen::inRange<Index>(-1, 3));
        for (Index j = 0; j < width; ++j) {
            const auto bits = *rc::gen::inRange<std::uint32_t>(1, 0x7F800000);  // any finite float above 0
            float value = 0;
            std::memcpy(&value, &bits, sizeof value);
            triplets.push_back({node, j, value});
        }
    }
    dataset.class_names.resize(std::min<std::size_t>(3, dataset.nodes));
    for (Index& label : dataset.labels)
        label = std::min(label, dataset.classes() - 1);
    dataset.features = csr_from_triplets(dataset.nodes, width, triplets);
    const auto node = rc::gen::inRange<Index>(0, dataset.nodes);
    const auto ends = *rc::gen::container<std::vector<std::pair<Index, Index>>>(rc::gen::pair(node, node));
    for (const auto& [from, to] : ends)
        dataset.edges.push_back({from, to});

    const testing::TemporaryDirectory folder;
    write_matrix_market_dataset(folder.path(), dataset);
    const Dataset read = read_matrix_market_dataset(
        {folder / "adjacency.mtx", folder / "features.mtx", folder / "labels.txt"});
    RC_ASSERT(read.nodes == dataset.nodes);
    const auto pairs_of = [](const Dataset& from) {
        std::set<std::pair<Index, Index>> pairs;
        for (const Edge& edge : from.edges)
            pairs.insert(std::minmax(edge.from, edge.to));
        return pairs;
    };
    RC_ASSERT(pairs_of(read) == pairs_of(dataset));
    RC_ASSERT(read.edges.size() == pairs_of(dataset).size());
    RC_ASSERT(!read.directed);
    RC_ASSERT(read.labels == dataset.labels);
    RC_ASSERT(read.class_names == dataset.class_names);
    RC_ASSERT(read.features.columns == width);
    RC_ASSERT(read.features.offsets == dataset.features.offsets);
    RC_ASSERT(read.features.indices == dataset.features.indices);
    RC_ASSERT(read.features.values == dataset.features.values);
}

TEST(MatrixMarketWriter, RefusesClassesThatDoNotFitOnALine) {
    const testing::TemporaryDirectory folder;
    for (const std::string name : {"two\nlines", " blank", "nan", "", "-1"}) {
        Dataset dataset;
        dataset.name = "odd";
        dataset.nodes = 1;
        dataset.labels = {0};
        dataset.class_names = {name};
        dataset.features = csr_from_triplets(1, 0, {});
        expect_input_error([&] { write_matrix_market_dataset(folder.path(), dataset); },
                           {"of odd cannot be written"});
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace hwgcn::matrix_market_test
