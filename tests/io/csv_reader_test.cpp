#include "io/csv/csv_reader.hpp"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/files/atomic_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/gzip_for_tests.hpp"
#include "test_data.hpp"

namespace hwgcn::csv_reader_test {
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

// Features as (row, column) -> value.
std::map<std::pair<Index, Index>, float> entries_of(const CsrMatrix<float>& matrix) {
    std::map<std::pair<Index, Index>, float> entries;
    for (Index i = 0; i < matrix.rows; ++i) {
        for (std::size_t k = 0; k < matrix.row(i).size(); ++k)
            entries[{i, matrix.row(i).indices[k]}] = matrix.row(i).values[k];
    }
    return entries;
}

using Entries = std::map<std::pair<Index, Index>, float>;

TEST(CsvReader, ReadsIdsLabelsFeaturesAndEdges) {
    const Dataset dataset =
        parse("from,to\nP7,P3\nP3,X\n", "id,label,f0,f1\nP3,b,0.5,0\nP7,a,0,2\nX,,0,1e-3\n");
    EXPECT_EQ(dataset.nodes, 3);
    EXPECT_EQ(dataset.node_ids, (Names{"P3", "P7", "X"}));
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{1, 0}, {0, 2}}));
    EXPECT_EQ(dataset.class_names, (Names{"a", "b"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{1, 0, unlabelled}));
    EXPECT_EQ(dataset.feature_names, (Names{"f0", "f1"}));
    EXPECT_EQ(dataset.features.columns, 2);
    EXPECT_EQ(entries_of(dataset.features), (Entries{{{0, 0}, 0.5f}, {{1, 1}, 2.0f}, {{2, 1}, 1e-3f}}));
    EXPECT_EQ(dataset.notes, Names{});
}

TEST(CsvReader, ReadsCompressedAndTabSeparatedFiles) {
    const testing::TemporaryDirectory folder;
    write_text_atomically(folder / "papers.tsv.gz", testing::gzip("1\t2\n"));
    write_text_atomically(folder / "nodes.csv", "\xef\xbb\xbfid;label\r\n2;x\r\n1;y\r\n");
    CsvFiles files;
    files.edges = folder / "papers.tsv.gz";
    files.nodes = folder / "nodes.csv";
    const Dataset dataset = read_csv_dataset(files);
    EXPECT_EQ(dataset.name, "papers");
    EXPECT_EQ(dataset.source, files.edges.string());
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{1, 0}}));
    EXPECT_EQ(dataset.class_names, (Names{"x", "y"}));
}

TEST(CsvReader, ColumnsCanBeChosenByName) {
    CsvFiles files = both_files();
    files.id_column = "paper";
    files.label_column = "topic";
    files.source_column = "cites";
    files.target_column = "who";
    const Dataset dataset = parse("who,year,cites\na,1999,b\n", "x,topic,paper\n1,ml,a\n2,db,b\n", files);
    EXPECT_EQ(dataset.node_ids, (Names{"a", "b"}));
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{1, 0}}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{1, 0}));
    EXPECT_EQ(dataset.feature_names, (Names{"x"}));
}

TEST(CsvReader, LabelColumnIsFoundWithoutRegardToCase) {
    EXPECT_EQ(parse("a,b\n", "id,x,Label\na,1,p\nb,1,q\n").class_names, (Names{"p", "q"}));
    EXPECT_EQ(parse("a,b\n", "id,CLASS,x\na,p,1\nb,q,1\n").class_names, (Names{"p", "q"}));
    EXPECT_EQ(parse("a,b\n", "id,x\na,1\nb,1\n").labels, (std::vector<Index>{unlabelled, unlabelled}));
}

TEST(CsvReader, BlankNanAndMinusOneAreUnlabelled) {
    const Dataset dataset = parse("a,b\n", "id,label\na,\nb,NaN\nc,nan\nd,-1\ne,NAN\nf,0\ng,none\nh,\" \"\n");
    EXPECT_EQ(dataset.class_names, (Names{" ", "0", "none"}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{-1, -1, -1, -1, -1, 1, 2, 0}));
}

TEST(CsvReader, IntegerClassesAreOrderedByValueAndOthersByLetters) {
    EXPECT_EQ(parse("a,b\n", "id,label\na,10\nb,9\nc,-3\n").class_names, (Names{"-3", "9", "10"}));
    EXPECT_EQ(parse("a,b\n", "id,label\na,10\nb,9\nc,x\n").class_names, (Names{"10", "9", "x"}));
    EXPECT_EQ(parse("a,b\n", "id,label\na,7\nb,07\n").class_names, (Names{"07", "7"}));
}

TEST(CsvReader, LoopsAndRepeatedEdgesArePassedOn) {
    EXPECT_EQ(parse("a,a\na,b\na,b\nb,a\n", two_nodes).edges,
              (std::vector<Edge>{{0, 0}, {0, 1}, {0, 1}, {1, 0}}));
}

TEST(CsvReader, EdgeHeaderIsRecognised) {
    const std::vector<Edge> one = {{0, 1}};
    EXPECT_EQ(parse("a,b\n", two_nodes).edges, one);
    EXPECT_EQ(parse("source,target,weight\na,b,3\n", two_nodes).edges, one);
    EXPECT_EQ(parse("# SNAP\n# from to\na b\n", two_nodes).edges, one);
    EXPECT_EQ(parse("% comment\nFrom_Node_Id\tToNodeId\na\tb\n", two_nodes).edges, one);
    // Words that happen to be ids are an edge.
    EXPECT_EQ(parse("source,target\n", "id\nsource\ntarget\n").edges, one);
    EXPECT_EQ(parse("source,target\n", two_nodes).edges, std::vector<Edge>{});
}

TEST(CsvReader, AnUnusualEdgeHeaderIsMentioned) {
    const Dataset dataset = parse("paper_a,paper_b\na,b\n", two_nodes);
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{0, 1}}));
    ASSERT_EQ(dataset.notes.size(), 1u);
    EXPECT_EQ(dataset.notes[0], "edges.csv:1: taken for a header: 'paper_a', 'paper_b'");
}

TEST(CsvReader, AMisspeltFirstEdgeIsAnErrorAndNotAHeader) {
    expect_input_error([] { parse("anna,berta\nclara,anna\n", "id\nanne\nbert\nclara\nanna1\n"); },
                       {"edges.csv:1: node id 'anna'", "did you mean"});
}

TEST(CsvReader, NumbersOnTheFirstLineAreNeverAHeader) {
    expect_input_error([] { parse("7,8\n1,2\n", "id\n1\n2\n"); }, {"edges.csv:1: node id '7'"});
}

TEST(CsvReader, WithoutNodeTableTheNodesAreThoseOfTheEdges) {
    const Dataset dataset = parse_alone("y x\nx z\nz z\n");
    EXPECT_EQ(dataset.node_ids, (Names{"y", "x", "z"}));
    EXPECT_EQ(dataset.edges, (std::vector<Edge>{{0, 1}, {1, 2}, {2, 2}}));
    EXPECT_EQ(dataset.labels, (std::vector<Index>{unlabelled, unlabelled, unlabelled}));
    EXPECT_EQ(dataset.features.rows, 3);
    EXPECT_EQ(dataset.features.columns, 0);
    EXPECT_EQ(dataset.classes(), 0);
}

TEST(CsvReader, WithoutNodeTableAHeaderIsUsualNamesOrWordsAboveNumbers) {
    EXPECT_EQ(parse_alone("source,target\na,b\n").node_ids, (Names{"a", "b"}));
    EXPECT_EQ(parse_alone("u,v\n1,2\n").node_ids, (Names{"1", "2"}));
    EXPECT_EQ(parse_alone("u,v\nv,w\n").node_ids, (Names{"u", "v", "w"}));
    EXPECT_EQ(parse_alone("u,v\n").node_ids, (Names{"u", "v"}));
}

TEST(CsvReader, UnknownIdsInEdgesSuggestTheNearest) {
    expect_input_error(
        [] { parse("paper1,paper2\npaper1,paqer2\n", "id\npaper1\npaper2\n"); },
        {"edges.csv:2: node id 'paqer2' is not among the 2 ids of the nodes, did you mean 'paper2'?"});
    expect_input_error([] { parse("a,b\na,zebra\n", two_nodes); },
                       {"edges.csv:2: node id 'zebra' is not among"});
    expect_input_error([] { parse("a,b\na,\n", two_nodes); }, {"edges.csv:2: node id ''"});
    // A hostile id neither floods the message nor the edit distance.
    const std::string endless(200'000, 'x');
    expect_input_error([&] { parse("a,b\na," + endless + "\n", "id\na\nb\n" + endless + "y\n"); },
                       {"edges.csv:2: node id 'xxxxx", "xxx...'"});
}

TEST(CsvReader, IdsWrittenInAnotherWayAreRecognised) {
    const auto fails = [](const std::string& edge, const std::string& nodes, const std::string& message) {
        expect_input_error([&] { parse("from,to\n" + edge + "\n", nodes); }, {message});
    };
    const std::string alike = "' is: ids must be written alike in all files";
    fails("7,008", "id\n007\n008\n",
          "edges.csv:2: node id '7' is not among the 2 ids of the nodes, but '007" + alike);
    fails("1.0,2.0", "id\n1\n2\n", "node id '1.0' is not among the 2 ids of the nodes, but '1" + alike);
    fails("ADA,BEN", "id\nada\nben\n", "node id 'ADA' is not among the 2 ids of the nodes, but 'ada" + alike);
    fails("0,1", "id\n000\n1\n", "but '000" + alike);
}

TEST(CsvReader, IdsOfAnotherColumnAreRecognised) {
    expect_input_error(
        [] { parse("from,to\nA1,A2\n", "id,key,x\n1,A1,3\n2,A2,4\n"); },
        {"edges.csv:2: node id 'A1' is not among the 2 ids of the nodes, but column 'key' of nodes.csv "
         "has it: `id='key'` takes the ids from there"});
    // A number that some other column happens to hold is no reason to take its numbers for ids.
    for (const char* const edges : {"from,to\n1,11\n", "from,to\n11,11\n"}) {
        try {
            parse(edges, "id,age\n1,11\n2,30\n3,30\n");
            ADD_FAILURE();
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find("`id="), std::string::npos) << error.what();
        }
    }
}

TEST(CsvReader, TextsThatAreNotUtf8AreMentioned) {
    const Dataset dataset = parse("a,b\n", "id,city\na,K\xc3\xb6ln\nb,K\xf6ln\n");
    ASSERT_EQ(dataset.notes.size(), 1U);
    EXPECT_EQ(dataset.notes[0].find("nodes.csv:3: is not UTF-8"), 0U) << dataset.notes[0];
    EXPECT_TRUE(parse("a,b\n", "id,city\na,K\xc3\xb6ln\nb,Bonn\n").notes.empty());
}

TEST(CsvReader, LabelsThatStandForNothingAreUnlabelledAndMentioned) {
    const Dataset dataset = parse("a,b\n", "id,label\na,red\nb,NA\nc,?\nd,blue\n");
    EXPECT_EQ(dataset.class_names, (Names{"blue", "red"}));
    EXPECT_EQ(dataset.labels[1], unlabelled);
    EXPECT_EQ(dataset.notes, (Names{"nodes.csv: labels 'NA' and the like count as not known (2 in all)"}));
}

TEST(CsvReader, ARareClassMayBeAMisspeltOne) {
    std::string nodes = "id,label\n";
    for (int k = 0; k < 6; ++k)
        nodes += "n" + std::to_string(k) + ",retail\n";
    const auto notes = [&](const std::string& label) {
        return parse("n1,n2\n", nodes + "x," + label + "\n").notes;
    };
    EXPECT_EQ(notes("retial"),
              (Names{"nodes.csv: the class 'retial' has 1 node: is it 'retail', misspelt?"}));
    EXPECT_TRUE(notes("public").empty());
    EXPECT_TRUE(notes("retail2").empty());  // numbered classes
    EXPECT_EQ(notes("Retail").size(), 1U);  // told once
}

TEST(CsvReader, SwappedFilesAreRecognised) {
    expect_input_error([] { parse("id,label\na,x\nb,y\n", "from,to\na,b\na,c\n"); },
                       {"nodes.csv:3: id 'a' is given twice", "`edges` and `nodes` may be swapped"});
}

TEST(CsvReader, ClassesThatDifferOnlyInSpellingAreMentioned) {
    const Dataset dataset = parse("a,b\n", "id,label\na,Gold\nb,gold \nc,silver\n");
    EXPECT_EQ(dataset.classes(), 3);
    ASSERT_EQ(dataset.notes.size(), 1U);
    EXPECT_EQ(dataset.notes[0],
              "nodes.csv: the classes 'Gold' and 'gold' differ only in capitals, blanks or zeros: are they "
              "the same?");
}

TEST(CsvReader, DuplicateIdsNameBothLines) {
    expect_input_error([] { parse("a,b\n", "id\na\nb\n\na\n"); },
                       {"nodes.csv:5: id 'a' is given twice, first on line 2"});
    expect_input_error([] { parse("a,b\n", "id,x\na,1\n,2\n"); },
                       {"nodes.csv:3: the id (column 'id') is empty"});
}

TEST(CsvReader, DuplicateIdsNameAColumnThatHasNone) {
    const auto refuse = [](const std::string& rows, std::initializer_list<std::string_view> parts) {
        expect_input_error([&] { parse("a,b\n", "town,income,note,mail,label\n" + rows); }, parts);
    };
    refuse(
        "Bonn,1.5,,a@x,r\nBonn,2.5,z,b@x,s\n",
        {"id 'Bonn' is given twice, first on line 2; column 'mail' has no value twice: `id='mail'` takes"});
    // Fractions, gaps, the labels and repetitions are no ids.
    for (const char* const rows :
         {"Bonn,1.5,,a@x,r\nBonn,2.5,z,a@x,s\n", "Bonn,1.5,?,a@x,r\nBonn,2.5,z,,s\n"}) {
        try {
            parse("a,b\n", "town,income,note,mail,label\n" + std::string(rows));
            FAIL();
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()), "nodes.csv:3: id 'Bonn' is given twice, first on line 2");
        }
    }
    refuse("Bonn,1,,a,r\nBonn,2,,b,s\nbroken\n", {"nodes.csv:3: id 'Bonn' is given twice"});
}

TEST(CsvReader, ColumnsThatTellNothingAreNamedInOneNote) {
    const auto notes = [](const std::string& rows, const std::string& ignored = "") {
        CsvFiles files = both_files();
        files.ignored_columns = ignored;
        return parse("a,b\n", "id,label,empty,same,word,some,age\n" + rows, files).notes;
    };
    const std::string rows = "a,x,,3,yes,1,20\nb,y,,3,yes,,30\nc,x,,3,yes,1,40\n";
    EXPECT_EQ(notes(rows), Names{"nodes.csv: columns of no use: 'empty' (empty), 'same' (always 3), "
                                 "'word' (1 category)"});
    EXPECT_EQ(notes(rows, "same,word"), Names{"nodes.csv: columns of no use: 'empty' (empty), "
                                              "'same' (ignored), 'word' (ignored)"});
    EXPECT_TRUE(notes(rows, "empty,same,word").empty()) << "what was asked for need not be told";
    EXPECT_TRUE(notes("a,x,,3,yes,1,20\nb,y,,3,yes,,30\n").empty()) << "two nodes prove nothing";
}

TEST(CsvReader, ManyColumnsThatTellNothingAreCounted) {
    std::string header = "id", row;
    for (int word = 0; word < 30; ++word) {
        header += fmt::format(",w{}", word);
        row += ",0";
    }
    const Dataset dataset = parse("a,b\n", fmt::format("{0}\na{1}\nb{1}\nc{1}\n", header, row));
    ASSERT_EQ(dataset.notes.size(), 1U);
    EXPECT_NE(dataset.notes[0].find("'w7' (always 0) and 22 more"), std::string::npos) << dataset.notes[0];
}

TEST(CsvReader, FeaturesThatAreNoNumbersNameColumnAndValue) {
    expect_input_error([] { parse("a,b\n", "id,x,y\na,1,2\nb,1,two\n"); },
                       {"nodes.csv:3: column 'y': 'two' is not a number"});
    expect_input_error([] { parse("a,b\n", "id,x\na,1\nb,0x10\n"); },
                       {"nodes.csv:3: column 'x': '0x10' is not"});
    expect_input_error([] { parse("a,b\n", "id,x\na,1\nb,1 2\n"); },
                       {"nodes.csv:3: column 'x': '1 2' is not"});
}

TEST(CsvReader, NonFiniteFeaturesAreRefused) {
    for (const std::string value : {"inf", "-inf", "Infinity", "1e400", "1e39"}) {
        expect_input_error([&] { parse("a,b\n", "id,x\na,1\nb," + value + "\n"); },
                           {"nodes.csv:3: column 'x': '" + value + "' is not a finite number"});
    }
    EXPECT_EQ(parse("a,b\n", "id,x\na,-0\nb,1e-400\n").features.entries(), 0);
}

TEST(CsvReader, MissingColumnsAreNamed) {
    const auto with = [](std::string CsvFiles::*column, const std::string& name) {
        CsvFiles files = both_files();
        files.*column = name;
        parse("source,target\na,b\n", "id,topic\na,1\nb,2\n", files);
    };
    expect_input_error([&] { with(&CsvFiles::id_column, "idd"); },
                       {"nodes.csv:1: no column 'idd', did you mean 'id'?"});
    expect_input_error([&] { with(&CsvFiles::label_column, "topics"); },
                       {"nodes.csv:1: no column 'topics', did you mean 'topic'?"});
    expect_input_error([&] { with(&CsvFiles::source_column, "sauce"); },
                       {"edges.csv:1: no column 'sauce'", "(columns: source, target)"});
    expect_input_error([&] { with(&CsvFiles::target_column, "x"); }, {"edges.csv:1: no column 'x'"});
    expect_input_error([&] { with(&CsvFiles::target_column, "source"); },
                       {"edges.csv:1: column 'source' cannot be both"});
    expect_input_error([&] { with(&CsvFiles::label_column, "id"); },
                       {"nodes.csv:1: column 'id' cannot be both"});
}

TEST(CsvReader, TwoPossibleLabelColumnsAreNotGuessedBetween) {
    const std::string_view nodes = "id,label,class\na,1,2\nb,3,4\n";
    expect_input_error([&] { parse("a,b\n", nodes); }, {"nodes.csv:1: columns 'label' and 'class'"});
    CsvFiles files = both_files();
    files.label_column = "class";
    EXPECT_EQ(parse("a,b\n", nodes, files).class_names, (Names{"2", "4"}));
}

TEST(CsvReader, EmptyAndBrokenFilesSayWhatIsMissing) {
    expect_input_error([] { parse("", two_nodes); }, {"edges.csv: is empty: expected one edge per line"});
    expect_input_error([] { parse("a,b\n", ""); }, {"nodes.csv: is empty: expected a header line"});
    expect_input_error([] { parse("a,b\n", "id,label\n"); }, {"nodes.csv: has a header line but no nodes"});
    expect_input_error([] { parse("a,b\n", "1,0.5\n2,0.25\n"); },
                       {"nodes.csv:1: expected a header line", "'1'"});
    expect_input_error([] { parse("a\nb\n", two_nodes); }, {"edges.csv:1: expected two columns", "found 1"});
    expect_input_error([] { parse_alone("# nothing\n"); }, {"edges.csv: is empty"});
    expect_input_error([] { parse_alone("source,target\n"); }, {"edges.csv: has no edges"});
    expect_input_error([] { parse_alone("a,b\na,\n"); }, {"edges.csv:2: a node id is empty"});
    expect_input_error([] { read_csv_dataset({}); }, {"no edge file"});
    expect_input_error([] { parse("a,b\na\n", two_nodes); }, {"edges.csv:2: expected 2 fields"});
}

// No pair of texts does anything but give a valid dataset or an InputError.
RC_GTEST_PROP(CsvReader, ArbitraryTextsAreReadOrRefused, ()) {
    const auto piece = rc::gen::element<std::string>("id", "label", "a", "b", "1", "-1", ",", ",", "\n", "\n",
                                                     "\"", " ", "#", "nan", "\t");
    const auto joined = rc::gen::map(rc::gen::container<Names>(piece), [](const Names& pieces) {
        return fmt::format("{}", fmt::join(pieces, ""));
    });
    const std::string edges = *joined;
    const std::string nodes = *joined;
    try {
        RC_ASSERT(parse(edges, "id,label\na,1\nb,\n1,x\n").nodes == 3);
        RC_ASSERT(parse(edges, nodes).nodes > 0);
    } catch (const InputError&) {
    }
    CsvFiles files = both_files();
    (*rc::gen::arbitrary<bool>() ? files.bins : files.label_separator) = "2";
    try {
        RC_ASSERT(parse(edges, nodes, files).nodes > 0);
    } catch (const InputError&) {
    }
}

}  // namespace
}  // namespace hwgcn::csv_reader_test
