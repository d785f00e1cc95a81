// Nodes that come after training: read with the vocabulary that is there.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/io/readers.hpp"

#include "base/files/output_file.hpp"
#include "io/csv/csv_reader.hpp"
#include "io/expect_input_error.hpp"
#include "test_data.hpp"

namespace hwgcn::additions_test {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Dataset customers() {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    return parse_csv_dataset(files, "a,b\nb,c\n", "id,label,age,city\na,x,-1,Rome\nb,y,3,Oslo\nc,,8,Rome\n",
                             "");
}

struct Tables {
    std::string nodes, edges, features;
};

Dataset add(const Tables& tables, const Dataset& dataset = customers()) {
    const testing::TemporaryDirectory folder;
    AddedFiles files;
    const auto write = [&](const std::string& text, const char* name, std::filesystem::path& file) {
        if (text.empty()) return;
        file = folder / name;
        write_text_atomically(file, text);
    };
    write(tables.nodes, "new.csv", files.nodes);
    write(tables.edges, "links.csv", files.edges);
    write(tables.features, "long.csv", files.features);
    return with_additions(dataset, files, fit_scaling(dataset));
}

std::vector<float> row(const Dataset& dataset, Index node) {
    std::vector<float> values(static_cast<std::size_t>(dataset.features.columns), 0.0F);
    const SparseRow<float> row = dataset.features.row(node);
    for (std::size_t e = 0; e < row.size(); ++e)
        values[row.indices[e]] = row.values[e];
    return values;
}

TEST(Additions, StandBehindTheOldNodes) {
    const Dataset joined = add({"id,city,age\nd,Oslo,5\ne,Rome,0\n", "d,a\ne,d\nc,a\n", ""});
    EXPECT_EQ(joined.nodes, 5);
    EXPECT_THAT(joined.node_ids, ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_THAT(row(joined, 3), ElementsAre(5, 0, 1)) << "columns in another order";
    EXPECT_THAT(row(joined, 4), ElementsAre(0, 1, 0));
    EXPECT_EQ(joined.labels.back(), unlabelled);
    EXPECT_THAT(joined.edges, ElementsAre(Edge{0, 1}, Edge{1, 2}, Edge{3, 0}, Edge{4, 3}, Edge{2, 0}));
    EXPECT_THAT(joined.notes, IsEmpty());
    validate_dataset(joined);
}

TEST(Additions, TellWhatTheModelDoesNotKnow) {
    const Dataset joined = add({"id,city,shoe,label\nd,Pisa,44,x\ne,Rome,43,y\nf,Bari,1,\n", "", ""});
    EXPECT_THAT(row(joined, 4).at(1), 1);
    EXPECT_TRUE(std::isnan(row(joined, 3).at(0))) << "age is not there";
    EXPECT_THAT(
        joined.notes,
        ElementsAre(HasSubstr("labels are not used"), HasSubstr("not used: 'shoe'"),
                    HasSubstr("without 1 of the model's columns, whose values count as missing: 'age'"),
                    HasSubstr("column 'city': the model does not know 'Pisa', 'Bari', which count as none")));
}

TEST(Additions, FindWordsInColumnsOfAnyName) {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    const Dataset dataset = parse_csv_dataset(files, "a,b\n", "id,label,a=b,a=c\na,x,d,y\nb,y,e,y\n", "");
    const Dataset joined = add({"id,a=c,a=b\nnew,y,e\n", "", ""}, dataset);
    EXPECT_THAT(row(joined, 2), ElementsAre(0, 1, 1));
    EXPECT_THAT(joined.notes, IsEmpty());
}

TEST(Additions, MayHaveNoFeaturesAndNoEdges) {
    const Dataset joined = add({"id\nlonely\n", "", ""});
    EXPECT_EQ(joined.nodes, 4);
    EXPECT_EQ(joined.edges.size(), 2U);
    EXPECT_THAT(joined.notes, ElementsAre(HasSubstr("'city', 'age'")));
}

TEST(Additions, MayBeNone) {
    const Dataset joined = add({"id,age,city\n", "source,target\n", ""});
    EXPECT_EQ(joined.nodes, 3);
    EXPECT_EQ(joined.features.values, customers().features.values);
}

TEST(Additions, TakeFeaturesInLongForm) {
    const Dataset joined = add({"id\nd\n", "", "d,age,7\nd,colour,1\n"});
    EXPECT_EQ(row(joined, 3).at(0), 7);
    EXPECT_THAT(joined.notes, ElementsAre(HasSubstr("does not know are not used: 'colour'")));
    expect_input_error(
        [] {
            add({"id\nd\n", "", "a,age,7\n"});
        },
        {"long.csv: node 'a' is in the graph already"});
}

TEST(Additions, NumberedFeaturesAreNamedByTheirNumber) {
    Dataset dataset = customers();
    dataset.feature_names = {};
    dataset.feature_kinds = {};
    dataset.columns = {};
    dataset.node_ids = {};
    const Dataset joined = add({"id,2,0\nnew,4,9\n", "new,1\n", ""}, dataset);
    EXPECT_THAT(row(joined, 3), ElementsAre(9, ::testing::_, 4));
    EXPECT_THAT(joined.node_ids, ElementsAre("0", "1", "2", "new"));
}

TEST(Additions, OfWeightedGraphsHaveWeights) {
    Dataset dataset = customers();
    dataset.edge_weights = {0.5F, 2.0F};
    const Dataset joined = add({"id\nd\n", "source,target,weight\nd,a,100\nd,b,101\n", ""}, dataset);
    EXPECT_THAT(joined.edge_weights, ElementsAre(0.5F, 2.0F, 100.0F, 101.0F)) << "though they look like ids";
    expect_input_error([&] { add({"id\nd\n", "d,a\n", ""}, dataset); }, {"links.csv: has no weights"});
    EXPECT_THAT(add({"id\nd\n", "source,target,weight\nd,a,0.5\nd,b,2\n", ""}).notes,
                ::testing::Contains(HasSubstr("not used")));
}

// Directed edges a -> b -> c whose file has this header.
Dataset directed(const std::string& header) {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    files.directions = Directions::kept;
    return parse_csv_dataset(files, header + "a,b\nb,c\n", "id,label\na,x\nb,y\nc,\n", "");
}

Edge added_edge(const std::string& links, const Dataset& dataset) {
    const Dataset joined = add({"id\nd\n", links, ""}, dataset);
    EXPECT_EQ(joined.edges.size(), 3U);
    return joined.edges.back();
}

TEST(Additions, EdgesAreReadByTheNamesOfTheirColumns) {
    const Dataset known = directed("from,to\n");
    EXPECT_EQ(added_edge("from,to\nd,a\n", known), (Edge{3, 0}));
    EXPECT_EQ(added_edge("to,from\nd,a\n", known), (Edge{0, 3}));
    EXPECT_EQ(added_edge("To,From\nd,a\n", known), (Edge{0, 3}));
    EXPECT_EQ(added_edge("kind,to,from\nx,d,a\n", known), (Edge{0, 3}));
    EXPECT_EQ(added_edge("target,source\nd,a\n", known), (Edge{0, 3}));
    EXPECT_EQ(added_edge("to,who\nd,a\n", known), (Edge{0, 3})) << "the other of two";
    EXPECT_EQ(added_edge("d,a\n", known), (Edge{3, 0}));
    EXPECT_THAT(add({"id\nd\n", "d,a\n", ""}, known).notes,
                ::testing::Contains(HasSubstr("has no header: its edges lead from the first column")));
    EXPECT_EQ(added_edge("to,from\nd,a\n", directed("")), (Edge{0, 3}))
        << "also where the run's edges have no header";
    const Dataset own = directed("likes,liked\n");
    EXPECT_EQ(added_edge("liked,likes\nd,a\n", own), (Edge{0, 3}));
}

TEST(Additions, EdgesWhoseDirectionIsNotClearAreRefused) {
    const Dataset known = directed("from,to\n");
    expect_input_error(
        [&] {
            add({"id\nd\n", "head,tail\nd,a\n", ""}, known);
        },
        {"links.csv: do its edges lead from 'head' to 'tail'?", "'from' and 'to'"});
    expect_input_error(
        [&] {
            add({"id\nd\n", "from,one,other\nd,a,b\n", ""}, known);
        },
        {"links.csv:1: which column has the other ends of the edges? Expected 'to'"});
    expect_input_error([&] { add({"id\nd\n", "from,source\nd,a\n", ""}, known); }, {"Expected 'to'"});
    EXPECT_EQ(added_edge("head,tail\nd,a\n", customers()), (Edge{3, 0})) << "without directions all is well";
    EXPECT_THAT(add({"id\nd\n", "head,tail\nd,a\n", ""}, directed("")).notes,
                ::testing::Contains(HasSubstr("its edges lead from 'head' to 'tail'")));
}

TEST(Additions, WeightsHaveTheNameThatTheRunKnows) {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    files.weight_column = "3";
    const Dataset known =
        parse_csv_dataset(files, "from,to,calls\na,b,2\nb,c,5\n", "id,label\na,x\nb,y\nc,\n", "");
    EXPECT_THAT(known.edge_columns, ElementsAre("from", "to", "calls"));
    const Dataset joined = add({"id\nd\n", "calls,to,from,weight\n7,d,a,1\n", ""}, known);
    EXPECT_EQ(joined.edge_weights.back(), 7.0F);
    expect_input_error([&] { add({"id\nd\n", "from,to\nd,a\n", ""}, known); }, {"add a column called calls"});
}

TEST(Additions, WithoutAnyNodeAreMentioned) {
    EXPECT_THAT(add({"id,age,city\n", "", ""}).notes,
                ElementsAre(HasSubstr("new.csv: has a header line and no nodes")));
}

TEST(Additions, MayHaveLinesThatEndAsOnOldMacs) {
    const Dataset joined = add({"id,city,age\rd,Oslo,5\re,Rome,0\r", "d,a\re,d\r", ""});
    EXPECT_EQ(joined.nodes, 5);
    EXPECT_EQ(joined.edges.size(), 4U);
    expect_input_error([] { add({"id,city,age\rd,Oslo,5\n", "", ""}); }, {"new.csv:1", "carriage return"});
}

TEST(Additions, ThatDoNotFitAreRefusedWithTheirLine) {
    expect_input_error(
        [] {
            add({"id,age\nd,1\nb,2\n", "", ""});
        },
        {"new.csv:3: id 'b' is in the graph already"});
    expect_input_error([] { add({"id,age\nd,1\nd,2\n", "", ""}); }, {"new.csv:3: id 'd'"});
    expect_input_error(
        [] {
            add({"id,age\nd,old\n", "", ""});
        },
        {"new.csv:2: 'old' is not a finite number", "'age'"});
    expect_input_error([] { add({"id,age\nd,inf\n", "", ""}); }, {"new.csv:2"});
    expect_input_error([] { add({"id,age\n,3\n", "", ""}); }, {"new.csv:2: the id is empty"});
    expect_input_error(
        [] {
            add({"age,city,name\n31,Rome,d\n", "", ""});
        },
        {"new.csv:1: which column has the ids? Expected 'id', and the first, 'age', is a feature"});
    expect_input_error(
        [] {
            add({"id,age,age\nd,1,2\n", "", ""});
        },
        {"new.csv:1: two columns are called 'age'"});
    expect_input_error([] { add({"id\nd\n", "source,target\nd,nobody\n", ""}); }, {"links.csv:2", "nobody"});
}

}  // namespace
}  // namespace hwgcn::additions_test
