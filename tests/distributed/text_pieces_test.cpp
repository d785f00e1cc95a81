// What several processes make of files that cannot be cut anywhere: fields with line breaks, quotes that are
// never closed, packed files, pipes.
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "distributed/sharded_tables.hpp"
#include "io/gzip_for_tests.hpp"

namespace hwgcn::text_pieces_test {
namespace {

namespace fs = std::filesystem;
using testing::expect_same_error;
using testing::expect_same_files;
using ::testing::HasSubstr;
using testing::plain_edges;
using testing::plain_nodes;
using testing::process_counts;
using testing::Tables;
using testing::Workplace;

TEST(TextPieces, ReadLinesOfOldMacs) {
    expect_same_files({"source,target\ra,b\rb,c\rc,a", "id,label\ra,1\rb,0\rc,1\r", ""});
}

// Ranges of a byte each, and empty ones, of files with line breaks, quotes and CRLF at every place.
TEST(TextPieces, ReadFieldsWithLineBreaks) {
    const std::string nodes =
        "id,\"la\nbel\",note,\"the\r\n\"\"size\"\"\"\r\na,\"x\ny\",\"\n\n\",1\r\n\r\nb,\"x\n,y\",\"a "
        "\"\"\n\"\"\",2\r\n"
        "c,\"x\ny\",5\" "
        "pipe,3\r\n\"d\",,\"\n\n\",\r\ne,\"\r\n\",\"\"\"\"\"\n\",5\r\nf,z,\"c,\"\"\n\r\nid,label\n\",6";
    Tables tables{"# \"quoted\n% \"\na,b\n\"b\",\"c\"\nc,\"a\"\n", nodes,
                  "a,\"a\nword\"\nb,word\n\"a\",word\n"};
    tables.settings.label_column = "la\nbel";
    expect_same_files(tables, {2});
    const Workplace place(tables);
    const std::map<std::string, std::string> expected = place.written_by_one(2);
    for (const std::size_t piece : {1, 5})
        EXPECT_EQ(place.written_by(67, 2, piece), expected) << piece;
    EXPECT_EQ(read_shards(place.folder("several")).class_names.size(), 4U);
}

// Every place of the file is the end of a range for some number of processes.
TEST(TextPieces, FindRecordsWhereverARangeBegins) {
    std::string nodes = "id\tlabel\tnote\n";
    std::string edges = "source target\n";
    for (int k = 0; k < 30; ++k) {
        nodes +=
            fmt::format("{}\t{}\t\"{}\"\n", k, k % 3, std::string(static_cast<std::size_t>(k % 7), '\n'));
        edges += fmt::format("{} \"{}\"{}\n", k, k * k % 30, k % 5 == 0 ? "\r" : "");
    }
    const Workplace place({edges, nodes, ""});
    const std::map<std::string, std::string> expected = place.written_by_one(4);
    for (const int processes : {2, 7, 16, 39})
        EXPECT_EQ(place.written_by(processes, 4, 11), expected) << processes;
}

// Longer than what is read of a file at first.
TEST(TextPieces, ReadHeadsAndFieldsOfAnyLength) {
    constexpr std::size_t first_bytes = 1 << 16;
    std::string nodes = "id,label,note";
    std::string values;
    for (int k = 0; nodes.size() < 3 * first_bytes / 2; ++k) {
        nodes += fmt::format(",\"number {}\n{}\"", k, std::string(60, k % 2 == 0 ? '\n' : ';'));
        values += k % 50 == 0 ? ",1" : ",";
    }
    const std::string note = fmt::format("\"{}\n\"\"\"", std::string(first_bytes + 10, 'x'));
    for (const char id : {'a', 'b', 'c'})
        nodes += fmt::format("\n{},{},{}{}", id, id == 'b' ? 1 : 0, id == 'a' ? "" : note, values);
    const std::string comments(first_bytes / 2, '\n');
    const Tables tables{comments + "# \"\n" + comments + "% a;b\n" + comments + "a,b\nb,\"c\"\n", nodes, ""};
    const Workplace place(tables);
    const std::map<std::string, std::string> expected = place.written_by_one(2);
    EXPECT_EQ(place.written_by(3, 2, 1 << 12), expected);
    EXPECT_EQ(place.written_by(2, 2, 100), expected);
}

TEST(TextPieces, RefuseIdsWithLineBreaks) {
    for (const std::string& nodes : {std::string("id,label\na,1\n\"b\nc\",2\n"), std::string()}) {
        const Workplace place({"a,\"b\nc\"\n", nodes, ""});
        EXPECT_THROW(place.written_by_one(2), InputError);
        for (const int processes : process_counts)
            EXPECT_EQ(place.error_of(processes),
                      "edges: the id of a node has a line break and cannot be a line of ids.txt");
    }
}

TEST(TextPieces, FindQuotesThatAreNeverClosed) {
    const std::string closed = "id,note,x\na,\"one\ntwo\",1\n";
    expect_same_error({plain_edges, closed + "b,\"x,2\n" + "c,\"x\",3\nd,y,4\n", ""},
                      "nodes.csv:5: unexpected text after a closing quote: 'x\",3'");
    expect_same_error({plain_edges, closed + "b,y,\"2\n" + "c,x,3\nd,y,4\n", ""},
                      "nodes.csv:4: the quote that opens here is never closed");
    expect_same_error({plain_edges, closed + "b,y,2\nc,x,3\nd,y,\"", ""},
                      "nodes.csv:6: the quote that opens here is never closed");
    expect_same_error({plain_edges, "id,\"note\nc,x,3\nd,\"\"\"\n,y,4\n", ""},
                      "nodes.csv:4: expected 2 fields as on line 1, found 3");
    expect_same_error({"a,b\nb,\"c\nc,a\n", plain_nodes, ""},
                      "edges.csv:2: the quote that opens here is never closed");
    // Of two faults the first in the file is told, wherever it is found.
    expect_same_error({plain_edges, closed + "b,y\nc,x,3\nd,y,\"", ""},
                      "nodes.csv:4: expected 3 fields as on line 1, found 2");
}

TEST(TextPieces, ReadPackedTables) {
    const std::string words = "a,word\nb,word\nb,\"other\nword\"\n";
    expect_same_files({testing::gzip(plain_edges), plain_nodes, testing::gzip(words)});
    expect_same_files({plain_edges, testing::gzip("\xef\xbb\xbf" + plain_nodes), ""});
    expect_same_files({testing::gzip("a,b\nb,") + testing::gzip("c\n") + testing::gzip(""), "", ""});
    Tables tables{testing::gzip("a,b\rb,c\rc,a\r"), "", ""};
    expect_same_files(tables);
    const Workplace place(tables);
    EXPECT_EQ(place.shard(3, 2, 16).bytes, 12);
    for (const fs::directory_entry& entry : fs::directory_iterator(place.folder("several")))
        EXPECT_THAT(entry.path().filename().string(),
                    ::testing::AnyOf(HasSubstr("part-"), HasSubstr("shards.")));
}

TEST(TextPieces, RefuseDamagedPackedTables) {
    const std::string packed = testing::gzip(plain_nodes);
    expect_same_error({plain_edges, packed.substr(0, packed.size() / 2), ""},
                      "nodes.csv: is a gzip file cut short");
    expect_same_error({plain_edges, packed.substr(0, packed.size() - 1), ""},
                      "nodes.csv: is a gzip file cut short");
    expect_same_error({plain_edges, packed.substr(0, 2), ""}, "nodes.csv: is a gzip file cut short");
    expect_same_error({plain_edges, packed + "tail", ""}, "nodes.csv: has foreign bytes after the end");
    expect_same_error({plain_edges, packed + "\x1f", ""}, "nodes.csv: has foreign bytes after the end");
    expect_same_error({testing::gzip(std::string("a,b\n\0\n", 6)), plain_nodes, ""},
                      "edges.csv:2: holds a NUL byte");
    expect_same_error({testing::gzip("a,b\nb,nobody\n"), plain_nodes, ""},
                      "edges.csv:2: node id 'nobody' is not among the 6 ids");
}

// A pipe can be read once, and from its beginning only: the first process does.
TEST(TextPieces, ReadPipes) {
    const Workplace place({plain_edges, "", ""});
    const std::map<std::string, std::string> expected = place.written_by_one(2);
    for (const std::string& text : {plain_edges, testing::gzip(plain_edges)}) {
        const fs::path file = place.folder("edges.csv");
        fs::remove(file);
        ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
        std::thread writer([&] {
            std::ofstream pipe(file, std::ios::binary);
            pipe << text.substr(0, 1) << std::flush << text.substr(1);
        });
        const std::map<std::string, std::string> found = place.written_by(3, 2, 16);
        writer.join();
        EXPECT_EQ(found, expected);
    }
}

TEST(TextPieces, PutLabelsIntoRanges) {
    std::string nodes = "id,income,x\n";
    std::string edges = "0,1\n";
    for (int k = 0; k < 97; ++k) {
        nodes +=
            fmt::format("{},{},{}\n", k, k % 13 == 5 ? "NA" : fmt::to_string(k * k % 53 / 4.0 - 1), k % 4);
        edges += fmt::format("{},{}\n", k, k * 5 % 97);
    }
    Tables tables{edges, nodes, ""};
    tables.settings.label_column = "income";
    for (const std::string bins : {"2", "7", "1000"}) {
        tables.settings.bins = bins;
        expect_same_files(tables, {13});
    }
    const Workplace place(tables);
    EXPECT_THAT(place.shard(3, 13, 7).notes,
                ::testing::Contains(HasSubstr("the labels were put into 27 ranges of numbers: -1, -0.75")));
    tables.nodes += "97,many,1\n";
    expect_same_error(tables, "nodes.csv:99: the label 'many' is not a finite number");
}

}  // namespace
}  // namespace hwgcn::text_pieces_test
