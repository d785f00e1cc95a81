// Weights, directions and repetitions of edges: what the readers make of them and the writers keep.
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/io/readers.hpp"
#include "hwgcn/io/writers.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "io/csv/csv_reader.hpp"
#include "io/expect_input_error.hpp"
#include "io/formats.hpp"
#include "io/matrix_market/matrix_market.hpp"
#include "io/merged_edges.hpp"
#include "test_data.hpp"

namespace hwgcn::edge_weights_test {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Weights = std::vector<float>;

Dataset read(const std::string& edges, const std::string& weight = "",
             Directions directions = Directions::as_found) {
    CsvFiles files;
    files.edges = "e.csv";
    files.weight_column = weight;
    files.directions = directions;
    return parse_csv_dataset(files, edges, "", "");
}

TEST(EdgeWeights, AColumnCalledWeightIsTaken) {
    for (const std::string name : {"weight", "Weight", "WEIGHT"}) {
        const Dataset dataset = read("from,to," + name + "\na,b,0.5\nb,c,2e1\n");
        EXPECT_EQ(dataset.edge_weights, (Weights{0.5F, 20.0F}));
        EXPECT_THAT(dataset.notes, IsEmpty());
    }
    CsvFiles files;
    files.edges = "e.csv";
    files.source_column = "a";
    files.target_column = "b";
    EXPECT_EQ(parse_csv_dataset(files, "weight,a,b\n2,x,y\n1,y,z\n", "", "").edge_weights, (Weights{2, 1}));
}

TEST(EdgeWeights, AnotherColumnIsTakenWhereItIsNamedOrNumbered) {
    EXPECT_EQ(read("from,to,calls\na,b,3\nb,c,5\n", "calls").edge_weights, (Weights{3, 5}));
    EXPECT_EQ(read("x,y,calls\na,b,3\nb,c,5\n", "calls").edges.size(), 2U);  // there is a header
    EXPECT_EQ(read("a,b,3\nb,c,5\n", "3").edge_weights, (Weights{3, 5}));
    EXPECT_EQ(read("from,to,weight\na,b,3\nb,c,5\n", "3").edge_weights, (Weights{3, 5}));
    expect_input_error([] { read("from,to,calls\na,b,3\n", "cals"); },
                       {"e.csv:1: no column 'cals'", "calls"});
    expect_input_error([] { read("from,to,calls\na,b,3\n", "4"); }, {"no column '4'"});
    expect_input_error([] { read("from,to,calls\na,b,3\n", "to"); }, {"'to' cannot be both"});
    expect_input_error([] { read("a,b,3\n", "1"); }, {"'1' cannot be both"});
}

TEST(EdgeWeights, NoneIsTakenWhereNoneIsWanted) {
    const Dataset dataset = read("from,to,weight\na,b,0.5\nb,c,-2\n", "none");
    EXPECT_THAT(dataset.edge_weights, IsEmpty());
    EXPECT_THAT(dataset.notes, ElementsAre(HasSubstr("column 'weight' is not used")));
}

TEST(EdgeWeights, OtherColumnsAreNamedWithTheOptionThatTakesThem) {
    EXPECT_THAT(
        read("from,to,calls\na,b,3\nb,c,5\n").notes,
        ElementsAre("e.csv: column 'calls' is not used: edges are all of one kind (`weight='calls'` takes "
                    "it as their weights)"));
    EXPECT_THAT(read("a,b,0.5\nb,c,2\n").notes, ElementsAre(HasSubstr("column 3 is not used")));
    EXPECT_THAT(read("a,b,0.5\nb,c,2\n").notes, ElementsAre(HasSubstr("`weight=3`")));
    EXPECT_THAT(read("from,to,weight,kind,since\na,b,1,x,2001\nb,c,2,y,2002\n").notes,
                ElementsAre("e.csv: columns 'kind', 'since' are not used: edges are all of one kind"));
}

TEST(EdgeWeights, WhatIsNoWeightIsAnErrorWithItsLine) {
    for (const std::string bad : {"-1", "nan", "inf", "x", "", "1e99", "-0.001", "0x10"}) {
        const std::string edges = "from,to,weight\na,b,1\nb,c,2\nc,d," + bad + "\n";
        expect_input_error([&] { read(edges); }, {"e.csv:4: the weight (column 'weight') is '" + bad + "'",
                                                  "finite number of at least 0", "`weight=none`"});
        expect_input_error([&] { read(edges, "weight"); }, {"e.csv:4: "});
    }
    expect_input_error([] { read("a,b,1\nb,c,x\n", "3"); }, {"e.csv:2: the weight (column 3) is 'x'"});
    expect_input_error([] { read("from,to,weight\na,b,3e38\na,b,3e38\nb,c,1\n"); },
                       {"e.csv: ", "more than 3.4e38"});
    expect_input_error([] { read("from,to,weight\na,b\n"); }, {"e.csv:2: expected 3 fields"});
}

std::string numbered(double (*number)(int), int count = 20) {
    std::string text = "from,to,weight\n";
    for (int i = 0; i < count; ++i)
        text += fmt::format("n{},n{},{:.15g}\n", i, i + 1, number(i));
    return text;
}

TEST(EdgeWeights, AColumnThatHoldsSomethingElseIsNotTaken) {
    const auto expect_refused = [](const std::string& edges, const std::string& why) {
        const Dataset dataset = read(edges);
        EXPECT_THAT(dataset.edge_weights, IsEmpty());
        EXPECT_THAT(dataset.notes, ElementsAre(HasSubstr(why))) << edges;
        EXPECT_THAT(dataset.notes, ElementsAre(HasSubstr("(`weight='weight'` takes it)")));
        EXPECT_THAT(read(edges, "none").edge_weights, IsEmpty());
    };
    expect_refused("from,to,weight\na,b,heavy\nb,c,light\nc,d,1\n", "it holds text");
    expect_refused("from,to,weight\na,b,2020-01-31\nb,c,2020-02-01\n", "it holds text");
    const std::string dates = "look like dates", ids = "look like ids";
    expect_refused(numbered([](int i) { return 1990.0 + i % 7; }), dates);
    expect_refused(numbered([](int i) { return 20240101.0 + i; }), dates);
    expect_refused(numbered([](int i) { return 1700000000.0 + 3600 * (i % 5); }), dates);
    expect_refused(numbered([](int i) { return 1.7e12 + 1000 * i; }), dates);
    expect_refused(numbered([](int i) { return 1.0 + i; }), ids);
    expect_refused(numbered([](int i) { return 9000000001.0 + 7 * ((13 * i) % 20); }), ids);
    EXPECT_EQ(read(numbered([](int i) { return 9000.0 + 7 * i; }), "weight").edge_weights.size(), 20U);
}

TEST(EdgeWeights, NumbersThatMayBeWeightsAreTaken) {
    EXPECT_EQ(read(numbered([](int i) { return 1.0 + i % 3; })).edge_weights.size(), 20U);
    EXPECT_EQ(read(numbered([](int i) { return 0.5 + i; })).edge_weights.size(), 20U);
    EXPECT_EQ(read(numbered([](int i) { return 5000.0 + 10 * (i % 6); })).edge_weights.size(), 20U);
    EXPECT_EQ(read(numbered([](int i) { return 1.0 + i; }, 9)).edge_weights.size(), 9U);  // too few to tell
}

TEST(EdgeWeights, EqualOnesAreNoneAndZerosAreNoEdges) {
    EXPECT_THAT(read("from,to,weight\na,b,3\nb,c,3\n").edge_weights, IsEmpty());
    EXPECT_THAT(read("from,to,weight\na,b,3\nb,c,3\n").notes, IsEmpty());
    const Dataset dataset = read("from,to,weight\na,b,3\nb,c,0\nc,a,1\nc,b,-0\n");
    EXPECT_EQ(dataset.edge_weights, (Weights{3, 1}));
    EXPECT_EQ(dataset.edges.size(), 2U);
    EXPECT_THAT(dataset.notes, ElementsAre("e.csv: 2 edges of weight 0 are left out"));
}

TEST(EdgeWeights, RepeatedEdgesOfWeightOneAreCounted) {
    const Dataset dataset = read("from,to,weight\na,b,1\nb,c,1\na,b,1\n");
    EXPECT_EQ(dataset.edge_weights, (Weights{1, 1, 1}));
    EXPECT_THAT(dataset.notes, ElementsAre("e.csv: 1 edge given again, whose weights add up"));
}

TEST(RepeatedEdges, AreNamedInOneNote) {
    EXPECT_THAT(read("a,b\nb,c\n").notes, IsEmpty());
    EXPECT_THAT(read("a,b\nb,a\nb,c\nc,b\n").notes, IsEmpty());  // the usual way to write both directions
    EXPECT_THAT(
        read("a,b\nb,a\nb,c\n").notes,
        ElementsAre("e.csv: 1 pair given in both directions, which counts once (`directed` keeps both)"));
    EXPECT_THAT(read("a,b\na,b\na,b\nb,c\nc,b\n").notes,
                ElementsAre(::testing::AllOf(HasSubstr("2 edges given again"), HasSubstr("`weight`"),
                                             HasSubstr("1 pair given in both directions"))));
    EXPECT_THAT(read("from,to,weight\na,b,1\nb,a,3\nb,c,5\n").notes,
                ElementsAre(HasSubstr("1 pair given in both directions with different weights, of which the "
                                      "mean counts")));
    EXPECT_THAT(read("a,b\nb,a\nb,c\n", "", Directions::kept).notes, IsEmpty());
}

TEST(EdgeDirections, OfATableAreKeptWhereWantedOrPromised) {
    EXPECT_FALSE(read("a,b\nb,c\n").directed);
    EXPECT_TRUE(read("a,b\nb,c\n", "", Directions::kept).directed);
    EXPECT_TRUE(read("# directed\na,b\nb,c\n").directed);
    EXPECT_TRUE(read("# Directed, weighted\nfrom,to,weight\na,b,1\nb,c,2\n").directed);
    EXPECT_FALSE(read("# directed\na,b\nb,c\n", "", Directions::dropped).directed);
    EXPECT_FALSE(read("# Directed graph: x.txt\na,b\nb,c\n").directed);
}

TEST(EdgeDirections, OfAMatrixAreKeptWhereItIsNotSymmetric) {
    const std::string head = "%%MatrixMarket matrix coordinate real general\n";
    const auto parse = [](const std::string& text, const EdgeReading& reading = {}) {
        MatrixMarketFiles files{"a.mtx", {}, {}, reading};
        return parse_matrix_market_dataset(files, text, "", "");
    };
    const std::string one_way = head + "3 3 2\n1 2 1\n2 3 1\n";
    EXPECT_TRUE(parse(one_way).directed);
    EXPECT_THAT(parse(one_way).notes,
                ElementsAre("connections that go one way only: 2: the graph is directed "
                            "(`undirected` reads it as going both ways)"));
    EXPECT_FALSE(parse(one_way, {true, Directions::dropped}).directed);
    EXPECT_THAT(parse(one_way, {true, Directions::dropped}).notes, ElementsAre(HasSubstr("both ways")));
    EXPECT_TRUE(parse(one_way, {true, Directions::kept}).directed);
    const std::string unequal = head + "3 3 4\n1 2 1\n2 1 4\n2 3 1\n3 2 1\n";
    EXPECT_TRUE(parse(unequal).directed);
    EXPECT_THAT(parse(unequal).notes, ElementsAre(HasSubstr("weigh more one way than the other: 1")));
    EXPECT_FALSE(parse(unequal, {false, Directions::as_found}).directed);
    const std::string equal = head + "3 3 4\n1 2 0.3\n2 1 0.3000001\n2 3 1\n3 2 1\n";
    EXPECT_FALSE(parse(equal).directed);
    expect_input_error([&] { parse(equal, {true, Directions::kept}); }, {"a.mtx: ", "no directions"});
    expect_input_error(
        [&] {
            parse("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
                  {true, Directions::kept});
        },
        {"no directions"});
    expect_input_error([&] { parse(head + "3 3 1\n1 2 -1\n"); },
                       {"a.mtx: the entry of row 1, column 2 is -1", "`weight=none`"});
    EXPECT_EQ(parse(head + "3 3 1\n1 2 -1\n", {false, Directions::as_found}).edges.size(), 1U);
    EXPECT_THAT(parse(head + "3 3 3\n1 2 1\n2 1 1\n3 1 0\n").notes,
                ElementsAre("a.mtx: entries of 0, which are no edges: 1"));
}

TEST(EdgeDirections, PlanetoidAndBuiltInGraphsHaveNone) {
    expect_input_error(
        [] {
            load_dataset("karate", "", {}, {true, Directions::kept});
        },
        {"karate: its edges have no directions, and `directed` asks for them"});
    EXPECT_FALSE(load_dataset("karate", "", {}, {true, Directions::dropped}).directed);
}

// What is left of the edges once repetitions are merged.
std::vector<std::tuple<Index, Index, float>> merged(const Dataset& dataset) {
    std::vector<std::tuple<Index, Index, float>> result;
    for (const auto& [row, column, weight] : dataset.directed
                                                 ? merged_arcs(dataset.edges, dataset.edge_weights)
                                                 : merged_pairs(dataset.edges, dataset.edge_weights))
        result.emplace_back(row, column, weight);
    return result;
}

Dataset random_dataset() {
    Dataset dataset;
    dataset.name = "random";
    dataset.nodes = *rc::gen::inRange<Index>(1, 8);
    dataset.directed = *rc::gen::arbitrary<bool>();
    const bool weighted = *rc::gen::arbitrary<bool>();
    const auto node = rc::gen::inRange<Index>(0, dataset.nodes);
    const auto ends = *rc::gen::container<std::vector<std::pair<Index, Index>>>(rc::gen::pair(node, node));
    for (const auto& [from, to] : ends) {
        dataset.edges.push_back({from, to});
        const auto bits = *rc::gen::inRange<std::uint32_t>(0x00800000, 0x7D000000);  // up to 1e37
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (weighted) dataset.edge_weights.push_back(value);
    }
    dataset.labels.assign(dataset.nodes, unlabelled);
    dataset.features = csr_from_triplets(dataset.nodes, 0, {});
    return dataset;
}

// A graph whose weights are all the same, or whose edges all go both ways, has none of either.
void expect_kept(const Dataset& written, const Dataset& found, bool is_matrix) {
    const auto before = merged(written);
    const bool constant = std::adjacent_find(before.begin(), before.end(), [](const auto& a, const auto& b) {
                              return std::get<2>(a) != std::get<2>(b);
                          }) == before.end();
    const EdgeRepeats repeats = count_edges(written);
    const bool symmetric = repeats.both_ways == repeats.pairs && repeats.unequal == 0;
    if (is_matrix && symmetric) {
        RC_ASSERT(!found.directed);
        return;
    }
    RC_ASSERT(found.directed == written.directed);
    if (constant && found.edge_weights.empty()) {
        RC_ASSERT(merged(found).size() == before.size());
    } else {
        RC_ASSERT(merged(found) == before);
    }
}

RC_GTEST_PROP(EdgeRoundTrip, EveryFormatKeepsWeightsAndDirections, ()) {
    const Dataset dataset = random_dataset();
    const testing::TemporaryDirectory folder;
    write_csv_dataset(folder / "csv", dataset);
    write_npz_dataset(folder / "graph.npz", dataset);
    write_matrix_market_dataset(folder / "mtx", dataset);
    expect_kept(dataset, load_dataset(folder / "csv", ""), false);
    expect_kept(dataset, load_dataset(folder / "graph.npz", ""), true);
    expect_kept(dataset, load_dataset(folder / "mtx", ""), true);
}

TEST(EdgeRoundTrip, WeightsThatLookLikeIdsComeBack) {
    Dataset dataset;
    dataset.nodes = 20;
    for (Index i = 0; i < 19; ++i) {
        dataset.edges.push_back({i, i + 1});
        dataset.edge_weights.push_back(1000.0F + static_cast<float>(i));
    }
    dataset.labels.assign(20, unlabelled);
    dataset.features = csr_from_triplets(20, 0, {});
    const testing::TemporaryDirectory folder;
    write_csv_dataset(folder.path(), dataset);
    EXPECT_THAT(read_file(folder / "edges.csv"), ::testing::StartsWith("# weighted\nsource,target,weight\n"));
    EXPECT_EQ(load_dataset(folder.path(), "").edge_weights, dataset.edge_weights);
}

TEST(EdgeWeights, OfADatasetAreValidated) {
    Dataset dataset;
    dataset.source = "here";
    dataset.nodes = 2;
    dataset.edges = {{0, 1}};
    dataset.labels.assign(2, unlabelled);
    dataset.features = csr_from_triplets(2, 0, {});
    dataset.edge_weights = {1, 2};
    expect_input_error([&] { validate_dataset(dataset); }, {"here: has 2 edge weights, expected 1"});
    dataset.edge_weights = {-1};
    expect_input_error([&] { validate_dataset(dataset); }, {"here: edge 0-1 has the weight -1"});
}

}  // namespace
}  // namespace hwgcn::edge_weights_test
