// Where records begin, found without reading them: as CsvTable reads them.
#include "io/csv/record_scan.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn::record_scan_test {
namespace {

using Record = std::vector<std::string>;

std::vector<Record> records_of(CsvTable table) {
    std::vector<Record> records;
    while (table.next())
        records.emplace_back(table.fields().begin(), table.fields().end());
    return records;
}

// Byte by byte.
std::vector<std::size_t> places_of(const CsvSyntax& syntax, std::string_view text, bool quoted) {
    std::vector<std::size_t> places;
    RecordScan scan(syntax, quoted);
    if (scan.first_record() == 0) places.push_back(0);
    for (std::size_t k = 0; k < text.size(); ++k) {
        scan.read(text.substr(k, 1));
        if (scan.last_record() == static_cast<std::int64_t>(k + 1)) places.push_back(k + 1);
    }
    return places;
}

void expect_whole_is_as_bytes(const CsvSyntax& syntax, std::string_view text, bool quoted) {
    const std::vector<std::size_t> places = places_of(syntax, text, quoted);
    RecordScan whole(syntax, quoted);
    whole.read(text);
    RC_ASSERT(whole.first_record() == (places.empty() ? -1 : static_cast<std::int64_t>(places.front())));
    RC_ASSERT(whole.last_record() == (places.empty() ? -1 : static_cast<std::int64_t>(places.back())));
}

RC_GTEST_PROP(RecordScan, FindsTheRecordsOfCsvTable, ()) {
    const std::string text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("\"\"\"\n\n\n,,,  \t;ab#%\r")));
    for (const CsvComments comments : {CsvComments::kept, CsvComments::skipped}) {
        const CsvTable table("f", text, comments);
        const std::vector<std::size_t> places = places_of(table.syntax(), text, false);
        expect_whole_is_as_bytes(table.syntax(), text, false);
        std::vector<Record> records;
        try {
            records = records_of(table);
        } catch (const InputError&) {
            continue;
        }
        std::int64_t in_fields = 0;
        for (const Record& record : records) {
            for (const std::string& field : record)
                in_fields += std::ranges::count(field, '\n');
        }
        RC_ASSERT(std::ssize(places) + in_fields == std::ranges::count(text, '\n') + 1);
        for (const std::size_t place : places) {
            const std::string_view whole = text;
            CsvTable head = table;
            head.next();
            std::vector<Record> parts = records_of(CsvTable(table, whole.substr(0, place), 1));
            const std::vector<Record> rest = records_of(CsvTable(head, whole.substr(place), 1));
            parts.insert(parts.end(), rest.begin(), rest.end());
            RC_ASSERT(parts == records);
        }
    }
}

// What a range of lines knows when it is told how the one in front of it ended.
RC_GTEST_PROP(RecordScan, GoesOnFromAnyLine, ()) {
    const std::string text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("\"\"\"\n\n\n,, ab#")));
    const std::string_view whole = text;
    const CsvSyntax syntax{*rc::gen::elementOf(std::string(",; \t")), CsvComments::skipped};
    const std::vector<std::size_t> places = places_of(syntax, text, false);
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] != '\n') continue;
        RecordScan front(syntax, false);
        front.read(whole.substr(0, k + 1));
        expect_whole_is_as_bytes(syntax, whole.substr(k + 1), front.is_quoted());
        std::vector<std::size_t> found;
        for (const std::size_t place : places_of(syntax, whole.substr(k + 1), front.is_quoted()))
            found.push_back(place + k + 1);
        RC_ASSERT(found == std::vector<std::size_t>(std::ranges::lower_bound(places, k + 1), places.end()));
    }
}

TEST(RecordScan, LeavesCommentsOut) {
    const std::string text = "# a,\"\nb,c\n%,\"\n";
    EXPECT_EQ(places_of({.comments = CsvComments::skipped}, text, false),
              (std::vector<std::size_t>{0, 6, 10, 14}));
    EXPECT_EQ(places_of({.comments = CsvComments::kept}, text, false), (std::vector<std::size_t>{0, 14}));
}

TEST(RecordScan, SaysWhichQuoteOpenedLast) {
    const auto opening = [](std::string_view text) {
        RecordScan scan({}, false);
        scan.read(text);
        return scan.is_quoted() ? scan.last_opening() : RecordScan::nowhere;
    };
    EXPECT_EQ(opening("a,\"b\n"), 2);
    EXPECT_EQ(opening("\"a\",b\nc, \"d\"\"\n"), 9);
    EXPECT_EQ(opening("a,\"b\"\n"), RecordScan::nowhere);
    EXPECT_EQ(opening("a\",b\n"), RecordScan::nowhere);
}

}  // namespace
}  // namespace hwgcn::record_scan_test
