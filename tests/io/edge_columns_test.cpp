// Which columns of a table are meant: by their names, and what is said where others must have been.
#include <gtest/gtest.h>

#include "io/csv/csv_reader.hpp"
#include "io/expect_input_error.hpp"

namespace hwgcn::edge_columns_test {
namespace {

using testing::expect_input_error;
using Names = std::vector<std::string>;

CsvFiles both_files() {
    CsvFiles files;
    files.edges = "edges.csv";
    files.nodes = "nodes.csv";
    return files;
}

Dataset parse(std::string_view edges, std::string_view nodes, const CsvFiles& files = both_files()) {
    return parse_csv_dataset(files, edges, nodes);
}

Dataset parse_alone(std::string_view edges) {
    CsvFiles files;
    files.edges = "edges.csv";
    return parse_csv_dataset(files, edges, "");
}

const std::string_view two_nodes = "id\na\nb\n";

TEST(EdgeColumns, DirectedEdgesAreReadByTheNamesOfTheirColumns) {
    const auto read = [](const std::string& edges, Directions directions = Directions::kept) {
        CsvFiles files;
        files.edges = "edges.csv";
        files.directions = directions;
        return parse_csv_dataset(files, edges, "");
    };
    const std::vector<Edge> forwards = {{0, 1}};
    const Dataset dataset = read("target,source\nb,a\n");
    EXPECT_EQ(dataset.node_ids, (Names{"a", "b"}));
    EXPECT_EQ(dataset.edges, forwards);
    EXPECT_EQ(dataset.edge_columns, (Names{"source", "target"}));
    EXPECT_EQ(dataset.notes,
              Names{"edges.csv: edges lead from column 'source' to column 'target', by their names; "
                    "`source` and `target` name others"});
    EXPECT_EQ(read("# directed\nto,from\nb,a\n", Directions::as_found).node_ids, (Names{"a", "b"}));
    EXPECT_TRUE(read("source,target\na,b\n").notes.empty());
    EXPECT_EQ(read("target,source\nb,a\n", Directions::dropped).node_ids, (Names{"b", "a"})) << "as ever";
    EXPECT_EQ(read("kind,from,to\nx,a,b\n", Directions::dropped).node_ids, (Names{"a", "b"}));
    EXPECT_EQ(read("ada,bob,from,to\n1,2,1990,1991\n").node_ids, (Names{"1", "2"}))
        << "from and to may be dates";
    EXPECT_EQ(parse("to,from\nfrom,to\n", "id\nfrom\nto\n").edges, (std::vector<Edge>{{1, 0}, {0, 1}}))
        << "names of nodes";
}

TEST(EdgeColumns, OtherColumnsWithTheIdsOfNodesAreNamed) {
    expect_input_error(
        [] { parse("kind,one,other\nhosts,a,b\n", two_nodes); },
        {"edges.csv:2: node id 'hosts' is not among the 2 ids of the nodes, but columns 'one' and "
         "'other' have such ids: `source='one'` and `target='other'` take the ends from there"});
    expect_input_error([] { parse("a,b,b\nhosts,a,b\n", two_nodes); },
                       {"edges.csv:2", "columns 2 and 3 have such ids: with a header line"});
    try {
        parse("from,to,count\na,zzzzz,b\n", two_nodes);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find("have such ids"), std::string::npos)
            << "an id is wrong, not a column";
    }
}

TEST(EdgeColumns, WeightsAreOfferedWhereTheyCouldBeSome) {
    const auto note = [](const std::string& edges) { return parse_alone(edges).notes.at(0); };
    EXPECT_EQ(note("from,to,kind\na,b,x\nb,c,y\n"),
              "edges.csv: column 'kind' is not used: edges are all of one kind");
    EXPECT_EQ(note("from,to,kind,calls\na,b,x,3\nb,c,y,4\n"),
              "edges.csv: columns 'kind', 'calls' are not used: edges are all of one kind (`weight='calls'` "
              "takes it "
              "as their weights)");
    for (const std::string late : {"x", "-1", "", "inf"})
        EXPECT_EQ(note("from,to,calls\na,b,3\nb,c,2\nc,d," + late + "\n").find("weight"), std::string::npos)
            << late;
    EXPECT_NE(note("a,b,3\nb,c,2\n").find("`weight=3`"), std::string::npos);
    EXPECT_EQ(note("a,b,x\nb,c,2\n").find("`weight"), std::string::npos);
}

TEST(EdgeColumns, FeaturesInLongFormAreNoNodeTable) {
    expect_input_error(
        [] { parse("a,b\n", "node,feature,value\na,x,1\na,y,1\nb,x,1\n"); },
        {"nodes.csv:3: id 'a' is given twice", "a node, a feature and a value per line? `features`"});
    expect_input_error([] { parse("a,b\n", "node,feature\na,x\na,y\n"); }, {"`features` reads these"});
}

TEST(EdgeColumns, OneColumnIsMeant) {
    CsvFiles files = both_files();
    files.label_column = "team,club";
    expect_input_error(
        [&] { parse("a,b\n", "id,team,club\na,x,y\nb,z,w\n", files); },
        {"nodes.csv:1: no column 'team,club'; one column is meant, such as 'team' (columns: id, team, "
         "club)"});
    files.label_column = "group,league";
    expect_input_error([&] { parse("a,b\n", "id,team,club\na,x,y\nb,z,w\n", files); },
                       {"no column 'group,league'; one column is meant (columns: id, team, club)"});
}

}  // namespace
}  // namespace hwgcn::edge_columns_test
