#include "io/csv/csv_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/expect_input_error.hpp"

namespace hwgcn::csv_table_test {
namespace {

using testing::expect_input_error;
using Records = std::vector<std::vector<std::string>>;

Records records_of(std::string_view text, CsvComments comments = CsvComments::kept) {
    CsvTable table("t.csv", text, comments);
    Records records;
    while (table.next())
        records.emplace_back(table.fields().begin(), table.fields().end());
    return records;
}

TEST(CsvTable, DelimiterIsFoundInTheFirstRecord) {
    const Records expected = {{"a", "b", "c"}, {"1", "2", "3"}};
    EXPECT_EQ(records_of("a,b,c\n1,2,3\n"), expected);
    EXPECT_EQ(records_of("a\tb\tc\n1\t2\t3\n"), expected);
    EXPECT_EQ(records_of("a;b;c\n1;2;3\n"), expected);
    EXPECT_EQ(records_of("a b  c\n  1 \t 2 3  \n"), expected);
}

TEST(CsvTable, TabsWinOverCommasAndDelimitersInQuotesDoNotCount) {
    EXPECT_EQ(records_of("Doe, J., jr\tx\n1\t2\n"), (Records{{"Doe, J., jr", "x"}, {"1", "2"}}));
    EXPECT_EQ(records_of("\"a,b,c\";d\n1;2\n"), (Records{{"a,b,c", "d"}, {"1", "2"}}));
    EXPECT_EQ(records_of("5\" disk,b\n"), (Records{{"5\" disk", "b"}}));
}

TEST(CsvTable, OneColumnIsATable) {
    EXPECT_EQ(records_of("id\nNew York\nRome\n"), (Records{{"id"}, {"New York"}, {"Rome"}}));
}

TEST(CsvTable, QuotedFieldsKeepDelimitersQuotesBlanksAndNewlines) {
    EXPECT_EQ(records_of("a,b\n\"x,y\",\" z \"\n\"say \"\"hi\"\"\",\"two\r\nlines\"\n\"\",\"\"\"\"\n"),
              (Records{{"a", "b"}, {"x,y", " z "}, {"say \"hi\"", "two\r\nlines"}, {"", "\""}}));
    EXPECT_EQ(records_of("a,b\n \"x\" , \"y\"\r\n"), (Records{{"a", "b"}, {"x", "y"}}));
    EXPECT_EQ(records_of("\"a b\" \"c\"\n1 2"), (Records{{"a b", "c"}, {"1", "2"}}));
}

TEST(CsvTable, BlanksAroundFieldsAndEmptyLinesAreDropped) {
    EXPECT_EQ(records_of("\n  \r\na , b\r\n\r\n 1,2 \n\n"), (Records{{"a", "b"}, {"1", "2"}}));
}

TEST(CsvTable, BlankFieldsAreFields) {
    EXPECT_EQ(records_of("a,b,c\n,,\n1,,\n,,3"),
              (Records{{"a", "b", "c"}, {"", "", ""}, {"1", "", ""}, {"", "", "3"}}));
    EXPECT_EQ(records_of("a\tb\n\t\nx\t"), (Records{{"a", "b"}, {"", ""}, {"x", ""}}));
}

TEST(CsvTable, TheLastLineNeedsNoEnd) {
    EXPECT_EQ(records_of("a,b\n1,2"), (Records{{"a", "b"}, {"1", "2"}}));
    EXPECT_EQ(records_of("a,b\n1,"), (Records{{"a", "b"}, {"1", ""}}));
    EXPECT_EQ(records_of("a,\"b\""), (Records{{"a", "b"}}));
}

TEST(CsvTable, NothingHasNoRecords) {
    EXPECT_EQ(records_of(""), Records{});
    EXPECT_EQ(records_of("\n\n  \n"), Records{});
    EXPECT_EQ(records_of("# only a comment", CsvComments::skipped), Records{});
}

TEST(CsvTable, CommentsAreSkippedOnlyOnRequestAndNeverInQuotes) {
    const std::string_view text = "# one\n% two\na,b\n#c,d\n\"#e\",f\n";
    EXPECT_EQ(records_of(text, CsvComments::skipped), (Records{{"a", "b"}, {"#e", "f"}}));
    EXPECT_EQ(records_of("#a,b\n1,2\n"), (Records{{"#a", "b"}, {"1", "2"}}));
}

TEST(CsvTable, RecordsKnowTheLineOnWhichTheyBegin) {
    CsvTable table("t.csv", "a,b\n\n\"x\ny\nz\",1\n2,3\n");
    std::vector<std::int64_t> lines;
    while (table.next())
        lines.push_back(table.line());
    EXPECT_EQ(lines, (std::vector<std::int64_t>{1, 3, 6}));
}

TEST(CsvTable, UnequalFieldCountsSayWhereAndHowMany) {
    expect_input_error([] { records_of("\na,b,c\n1,2,3\n1,2\n"); },
                       {"t.csv:4: expected 3 fields as on line 2, found 2"});
    expect_input_error([] { records_of("a,b\n1,2,3\n"); },
                       {"t.csv:2: expected 2 fields as on line 1, found 3"});
    expect_input_error([] { records_of("a b\n1\n"); }, {"t.csv:2: expected 2 fields as on line 1, found 1"});
}

TEST(CsvTable, AnOpenQuoteIsReportedWhereItOpens) {
    expect_input_error([] { records_of("a,b\n1,2\n3,\"four\n5,6\n7,8\n"); },
                       {"t.csv:3: the quote that opens here is never closed"});
    expect_input_error([] { records_of("\""); }, {"t.csv:1: the quote"});
    expect_input_error([] { records_of("a,b\n\"x\"\"\n"); }, {"t.csv:2: the quote"});
}

TEST(CsvTable, TextAfterAClosingQuoteIsAnError) {
    expect_input_error([] { records_of("a,b\n\"x\"y,2\n"); },
                       {"t.csv:2: unexpected text after a closing quote: 'y,2'"});
    expect_input_error([] { records_of("a b\n\"x\"y\n"); }, {"t.csv:2: unexpected text", "'y'"});
}

TEST(CsvTable, MissingColumnsNameThosePresentAndSuggestTheNearest) {
    CsvTable table("t.csv", "id,label,year\n");
    table.next();
    EXPECT_EQ(find_column(table, "year"), 2u);
    expect_input_error([&] { find_column(table, "labl"); },
                       {"t.csv:1: no column 'labl', did you mean 'label'? (columns: id, label, year)"});
    expect_input_error([&] { find_column(table, "zzz"); }, {"no column 'zzz' (columns: id, label, year)"});
}

TEST(CsvTable, WideTablesAreNotListedInFull) {
    std::string header = "id";
    for (int i = 0; i < 1000; ++i)
        header += ",f" + std::to_string(i);
    CsvTable table("t.csv", header);
    table.next();
    expect_input_error([&] { find_column(table, "zzz"); }, {"id, f0, f1,", "f18 and 981 more)"});
}

TEST(CsvTable, RepeatedColumnNamesCannotBeChosen) {
    CsvTable table("t.csv", "id,x,x\n");
    table.next();
    expect_input_error([&] { find_column(table, "x"); }, {"t.csv:1: column 'x' appears more than once"});
}

// Any fields at all, each within quotes, come back as they were.
RC_GTEST_PROP(CsvTable, QuotedRecordsRoundTrip, ()) {
    const auto width = *rc::gen::inRange<std::size_t>(2, 5);
    const auto field =
        rc::gen::container<std::string>(rc::gen::element('a', ',', ';', '\t', '"', '\n', '\r', ' ', '#'));
    const auto records =
        *rc::gen::container<Records>(rc::gen::container<std::vector<std::string>>(width, field));
    std::string text;
    for (const auto& record : records) {
        for (std::size_t i = 0; i < width; ++i) {
            text += i == 0 ? "\"" : ",\"";
            for (const char letter : record[i])
                text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
            text += '"';
        }
        text += '\n';
    }
    RC_ASSERT(records_of(text, CsvComments::skipped) == records);
}

// No text whatever does anything but give equally long records or an InputError.
RC_GTEST_PROP(CsvTable, ArbitraryTextIsReadOrRefused, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::element('a', ',', ';', '\t', '"', '\n', '\r', ' ', '#'));
    try {
        const Records records = records_of(text, CsvComments::skipped);
        for (const auto& record : records)
            RC_ASSERT(record.size() == records[0].size());
    } catch (const InputError&) {
    }
}

TEST(CsvField, IsReadBackAsItWas) {
    for (const std::string text : {"plain", "", " blanks ", "a,b", "a;b", "a;b;c", "a\tb", "say \"hi\"", "\"",
                                   "two\nlines", "#comment", "%comment", "=1+1", "caf\xc3\xa9"}) {
        const std::string record = csv_field(text) + "," + csv_field("next") + "\n";
        CsvTable table("t.csv", record, CsvComments::skipped);
        ASSERT_TRUE(table.next()) << text;
        ASSERT_EQ(table.fields().size(), 2U) << text;
        EXPECT_EQ(table.fields()[0], text);
        EXPECT_EQ(table.fields()[1], "next");
    }
}

}  // namespace
}  // namespace hwgcn::csv_table_test
