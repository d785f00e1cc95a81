// Tables cut into shards by several processes: the same files as one process writes.
#include "distributed/io/text_shards.hpp"

#include <cmath>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/files/input_file.hpp"
#include "distributed/sharded_tables.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn::text_shards_test {
namespace {

using testing::expect_same_error;
using testing::expect_same_files;
using ::testing::HasSubstr;
using testing::plain_edges;
using testing::plain_nodes;
using testing::Tables;
using testing::Workplace;

TEST(TextShards, AreThoseOfTheOrdinaryReader) {
    expect_same_files({plain_edges, plain_nodes, ""}, {1, 1000});
    expect_same_files({"a b\nb c\nc a", plain_nodes, ""});
    expect_same_files({"% comment\n\na\tb\r\nb\tc\r\n# another\nc\ta\r\n\n", plain_nodes, ""});
    expect_same_files({"\xef\xbb\xbf" + plain_edges, "\xef\xbb\xbf" + plain_nodes, ""});
}

// Columns of ids, and numbers for which logarithms stand.
TEST(TextShards, JudgeColumnsAsTheOrdinaryReader) {
    std::string nodes = "name,id,line,rank,followers,share,fake_id\n";
    std::string edges = "to,from,calls\n";
    for (int k = 0; k < 70; ++k) {
        nodes += fmt::format("n{},{},{},{},{},{},{}\n", k, (k * 7919 + 13) % 100003, k + 5, k * 3 % 70,
                             k % 9 == 0 ? "" : fmt::to_string((k % 4) * std::exp(0.2 * (k % 67))), 0.1 * k,
                             k % 69);
        edges += fmt::format("n{},n{},{}\n", k, k * 5 % 70, k);
    }
    Tables tables{edges, nodes, ""};
    expect_same_files(tables, {10});
    const Workplace place(tables);
    const TextShards several = place.shard(3, 10, 7);
    const std::string list = read_file(place.folder("several") / "shards.json");
    EXPECT_THAT(list, HasSubstr("4 numbers standardised (1 as logarithm)"));
    EXPECT_THAT(several.notes,
                ::testing::Contains(HasSubstr("'id' is left out: 70 different whole numbers")));
    EXPECT_THAT(several.notes,
                ::testing::Contains(HasSubstr("'line' is left out: numbers that count the lines")));
    EXPECT_THAT(several.notes, ::testing::Contains(HasSubstr("'rank' is a feature")));
    const Dataset again = read_shards(place.folder("several"));
    EXPECT_GT(again.fitted_scaling->columns.at(1).unit, 0) << "of followers";
    tables.settings.directions = Directions::kept;
    tables.settings.numeric_columns = "id";
    expect_same_files(tables, {10});
    tables.settings.judge_columns = false;
    expect_same_files(tables, {10});
}

TEST(TextShards, NumberNodesAsTheyAppear) {
    expect_same_files({"from,to\n7,3\n3,12\n12,9\n9,7\n1,1\n3,7\n", "", ""});
    expect_same_files({"z,y\ny,x\nq,z\n", "", ""});
    expect_same_files({"# directed\nz,y\ny,x\nq,z\ny,z\n", "", "z,word,2\nq,other,1\nz,other,1\n"});
}

TEST(TextShards, NoteWhatTheOrdinaryReaderNotes) {
    std::string nodes = "id,label,word,same,class\n";
    std::string edges = "source,target,weight,kind\n";
    for (int k = 0; k < 40; ++k) {
        const std::string label = k == 7       ? "Drama"
                                  : k % 3 == 0 ? "drama;crime"
                                  : k % 3 == 1 ? "drama"
                                               : "crime";
        nodes += fmt::format("{},{},{},4,{}\n", k, label, k == 31 ? "caf\xe9" : "caf\xc3\xa9", k % 2);
        edges += fmt::format("{0},{1},{2},x\n{0},{1},1,x\n{1},{0},2,x\n", k, k * 7 % 40, k % 4);
    }
    Tables tables{edges, nodes, "0,w\xe9\n1,w\n"};
    tables.settings.label_column = "label";
    expect_same_files(tables, {5});
    tables.settings.weight_column = "none";
    expect_same_files(tables, {5});
    const Workplace place(tables);
    const std::vector<std::string> notes = place.shard(3, 5, 7).notes;
    for (const std::string note : {"nodes.csv: columns of no use: 'same'", "edges.csv: 48 edges given again",
                                   "nodes.csv:33: is not UTF-8", "features.csv:1: is not UTF-8",
                                   "differ only in capitals", "labels have several parts"})
        EXPECT_THAT(notes, ::testing::Contains(HasSubstr(note)));
    tables.edges = "a,b\nb,a\nb,c\n\xe9,b\n";
    tables.nodes = "";
    tables.features = "";
    tables.settings = {};
    expect_same_files(tables);
}

TEST(TextShards, AddWeightsInTheOrderOfTheFile) {
    const std::string edges =
        "source,target,weight\na,b,0.1\nb,a,1e-8\na,b,0.7\nc,d,0\nb,a,3.3333\na,b,1e8\nd,d,0.3\ne,f,2\na,b,"
        "1e-9\n";
    expect_same_files({edges, plain_nodes, ""});
    expect_same_files({"# directed, weighted\n" + edges, plain_nodes, ""});
    Tables tables{edges, plain_nodes, ""};
    tables.settings.weight_column = "none";
    expect_same_files(tables);
    tables.settings = {};
    tables.settings.directions = Directions::kept;
    expect_same_files(tables);
    tables.settings.weight_column = "3";
    tables.edges = "a,b,2\nb,c,2\na,c,2\n";  // says nothing
    expect_same_files(tables);
    tables.edges = "a,b,2\nb,c,2\na,b,2\n";  // says how often
    expect_same_files(tables);
    tables.edges = "a,b,0\nb,c,0\n";
    expect_same_files(tables);
    tables.edges = "a,a,1\nb,b,3\n";
    expect_same_files(tables);
    // Ids, dates and texts are no weights.
    std::string dated = "source,target,weight\n";
    for (int k = 0; k < 12; ++k)
        dated += fmt::format("{},{},{}\n", "abcdef"[k % 6], "abcdef"[(k + 1) % 6], 2001 + k);
    expect_same_files({dated, plain_nodes, ""});
}

TEST(TextShards, KnowWhatColumnsAre) {
    std::string nodes = "name;key;class;age;city;title;postcode;gap\n";
    for (int k = 0; k < 60; ++k) {
        nodes +=
            fmt::format("n{};\"k {}\";{};{};{};\"title \"\"{}\"\"\";{};{}\n", k, k,
                        k % 7 == 0 ? "" : fmt::to_string(k % 3), k % 5 == 0 ? "NA" : fmt::to_string(0.37 * k),
                        k % 4 == 0 ? "" : fmt::format("c{}", k % 11), k, 10'000 + k % 5, k == 17 ? "2" : "");
    }
    std::string edges;
    for (int k = 0; k < 100; ++k)
        edges += fmt::format("k {};k {}\n", k * k % 60, k * 7 % 60);
    Tables tables{edges, nodes, ""};
    tables.settings.id_column = "key";
    tables.settings.ignored_columns = "name";
    tables.settings.categorical_columns = "postcode";
    for (const Scale scale : {Scale::automatic, Scale::rows, Scale::unit, Scale::none, Scale::standard}) {
        tables.scale = scale;
        expect_same_files(tables, {13});
    }
    tables.settings.label_column = "city";
    tables.settings.label_separator = "1";
    expect_same_files(tables, {13});
}

TEST(TextShards, JoinWordsAndNumbers) {
    std::string nodes = "id,label,x,y\n";
    std::string words = "id,word,count\n";
    std::string edges = "source,target\n";
    for (int k = 0; k < 80; ++k) {
        nodes += fmt::format("{},{},{},{}\n", 1000 + k, k % 4, 0.1 * k - 3, 1.0 / (k + 1));
        for (int j = 0; j < 5; ++j)
            words +=
                fmt::format("{},w{},{}\n", 1000 + (k * 37 + j) % 80, (k * k + 7 * j) % 50, 0.1 * (1 + j));
        edges += fmt::format("{},{}\n", 1000 + k, 1000 + k * k % 80);
    }
    expect_same_files({edges, nodes, words}, {13});
}

TEST(TextShards, SayWhereTheFault) {
    expect_same_error({plain_edges + "b,nobody\n", plain_nodes, ""},
                      "edges.csv:9: node id 'nobody' is not among the 6 ids");
    expect_same_error({plain_edges, plain_nodes + "g,1,1\nb,0,1\n", ""},
                      "nodes.csv:9: id 'b' is given twice, first on line 3");
    expect_same_error({plain_edges, plain_nodes + "g,1,\"text\"\n", ""}, "nodes.csv:8: column 'x': 'text'");
    expect_same_error({plain_edges, plain_nodes + "g,1\n", ""},
                      "nodes.csv:8: expected 3 fields as on line 1, found 2");
    expect_same_error({plain_edges, plain_nodes + ",1,1\n", ""},
                      "nodes.csv:8: the id (column 'id') is empty");
    expect_same_error({plain_edges, plain_nodes, "a,word,1\nb,word,many\n"},
                      "features.csv:2: the value 'many'");
    expect_same_error({plain_edges, plain_nodes, "a,word,1\nz,word,1\n"},
                      "features.csv:2: node id 'z' is not among the 6 ids");
    expect_same_error({"source,target,weight\na,b,1\nb,c,-2\n", plain_nodes, ""},
                      "edges.csv:3: the weight (column 'weight') is '-2'");
    expect_same_error({"source,target,weight\na,b,3e38\nb,c,1\na,b,3e38\n", plain_nodes, ""},
                      "add up to more than 3.4e38");
    expect_same_error({plain_edges, "id,label\n", ""}, "has a header line but no nodes");
    expect_same_error({plain_edges + std::string("a,b\0\n", 5), plain_nodes, ""},
                      "edges.csv:9: holds a NUL byte");
    expect_same_error({"source,target\n", "", ""}, "has no edges");
}

TEST(TextShards, SayWhatWasWritten) {
    const Workplace place({plain_edges, plain_nodes, ""});
    const TextShards shards = place.shard(3, 2, 16);
    EXPECT_EQ(shards.name, "edges");
    EXPECT_EQ(shards.nodes, 6);
    EXPECT_EQ(shards.blocks, 3);
    EXPECT_EQ(shards.pairs, 5);
    EXPECT_EQ(shards.bytes, std::ssize(plain_edges) + std::ssize(plain_nodes));
    EXPECT_DOUBLE_EQ(shards.share_within_blocks, 0.25);
    const Dataset dataset = read_shards(place.folder("several"));
    EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"0", "1", "10"}));
}

}  // namespace
}  // namespace hwgcn::text_shards_test
