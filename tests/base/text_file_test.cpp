#include "base/text_file.hpp"

#include <vector>

#include "base/files/atomic_file.hpp"
#include "io/expect_input_error.hpp"
#include "io/gzip_for_tests.hpp"
#include "test_data.hpp"

namespace hwgcn::text_file_test {
namespace {

using testing::expect_input_error;
using testing::gzip;

std::vector<std::pair<std::int64_t, std::string>> lines_of(std::string_view text) {
    std::vector<std::pair<std::int64_t, std::string>> lines;
    LineReader reader(text);
    while (reader.next())
        lines.emplace_back(reader.line_number(), reader.line());
    return lines;
}

using Lines = std::vector<std::pair<std::int64_t, std::string>>;

TEST(TextFile, PlainTextComesBackUnchanged) {
    EXPECT_EQ(decode_text("f", "a,b\r\n1,2\n"), "a,b\r\n1,2\n");
    EXPECT_EQ(decode_text("f", ""), "");
}

TEST(TextFile, LinesMayEndAsOnOldMacs) {
    EXPECT_EQ(decode_text("f", "a,b\r1,2\r"), "a,b\n1,2\n");
    EXPECT_EQ(decode_text("f", gzip("\xef\xbb\xbf"
                                    "a\rb")),
              "a\nb");
    EXPECT_EQ(decode_text("f", "a\rb\n"), "a\rb\n") << "not all lines do";
}

TEST(TextFile, GzipIsRecognisedByContentAndNotByName) {
    const testing::TemporaryDirectory folder;
    write_text_atomically(folder / "packed.csv", gzip("1,2\n"));
    write_text_atomically(folder / "plain.csv.gz", "3,4\n");
    EXPECT_EQ(read_text_file(folder / "packed.csv"), "1,2\n");
    EXPECT_EQ(read_text_file(folder / "plain.csv.gz"), "3,4\n");
}

TEST(TextFile, LargeAndVeryRepetitiveGzipUnfoldsWhole) {
    // All input is consumed long before all output is out.
    const std::string zeros(5'000'000, '0');
    EXPECT_EQ(decode_text("f", gzip(zeros)), zeros);
    std::string varied;
    for (int i = 0; i < 200'000; ++i)
        varied += std::to_string(i * 2654435761u) + '\n';
    EXPECT_EQ(decode_text("f", gzip(varied)), varied);
}

TEST(TextFile, GzipMembersFollowOneAnother) {
    EXPECT_EQ(decode_text("f", gzip("1,2\n") + gzip("3,4\n") + gzip("")), "1,2\n3,4\n");
}

TEST(TextFile, EveryTruncatedGzipIsAnError) {
    const std::string whole = gzip("source,target\n1,2\n2,3\n3,1\n");
    for (std::size_t length = 2; length < whole.size(); ++length) {
        expect_input_error([&] { decode_text("edges.csv.gz", whole.substr(0, length)); },
                           {"edges.csv.gz", "cut short"});
    }
}

TEST(TextFile, DamagedGzipIsAnError) {
    std::string damaged = gzip("source,target\n1,2\n2,3\n3,1\n");
    damaged[damaged.size() - 6] ^= 1;  // in the checksum
    expect_input_error([&] { decode_text("f.gz", damaged); }, {"f.gz: is a damaged gzip file"});
    expect_input_error([&] { decode_text("f.gz", std::string("\x1f\x8bnonsense and more")); },
                       {"f.gz: is a damaged gzip file"});
    expect_input_error([&] { decode_text("f.gz", gzip("1,2\n") + "tail"); }, {"f.gz: has foreign bytes"});
}

TEST(TextFile, EveryFlippedByteOfAGzipGivesTheTextOrAnInputError) {
    const std::string text = "source,target\nalpha,beta\nbeta,gamma\n";
    const std::string whole = gzip(text);
    for (std::size_t i = 2; i < whole.size(); ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0xFF);
        try {
            EXPECT_EQ(decode_text("f", damaged), text) << "byte " << i;  // time stamp and system are free
        } catch (const InputError&) {
        }
    }
}

TEST(TextFile, ExpansionBeyondTheLimitIsRefused) {
    const std::string bomb = gzip(std::string(1'000'000, 'x'));
    EXPECT_LT(bomb.size(), 2000u);
    EXPECT_EQ(decode_text("bomb.gz", bomb, 1'000'000).size(), 1'000'000u);
    expect_input_error([&] { decode_text("bomb.gz", bomb, 999'999); },
                       {"bomb.gz: unfolds to more than 999999 bytes"});
}

TEST(TextFile, ByteOrderMarkIsDropped) {
    EXPECT_EQ(decode_text("f", "\xef\xbb\xbfid,label\n"), "id,label\n");
    EXPECT_EQ(decode_text("f", gzip("\xef\xbb\xbfid\n")), "id\n");
}

TEST(TextFile, NulBytesAreRefusedWithTheirLine) {
    using namespace std::string_literals;
    expect_input_error([] { decode_text("f.csv", "a\nb\nc\0d\n"s); }, {"f.csv:3: holds a NUL byte"});
    expect_input_error([] { decode_text("f.csv", gzip("\xff\xfei\0d\0"s)); }, {"f.csv:1:", "UTF-8"});
}

TEST(TextFile, MissingFilesAndFoldersAreInputErrors) {
    const testing::TemporaryDirectory folder;
    expect_input_error([&] { read_text_file(folder / "absent.csv"); }, {"absent.csv", "No such file"});
    expect_input_error([&] { read_text_file(folder.path()); }, {"is a folder"});
}

TEST(TextFile, LinesEndInEitherWayAndAreNumberedFromOne) {
    EXPECT_EQ(lines_of("a\r\nb\n\nc"), (Lines{{1, "a"}, {2, "b"}, {3, ""}, {4, "c"}}));
    EXPECT_EQ(lines_of("a\n"), (Lines{{1, "a"}}));
    EXPECT_EQ(lines_of("\n\r\n"), (Lines{{1, ""}, {2, ""}}));
    EXPECT_EQ(lines_of(""), Lines{});
}

TEST(TextFile, ExcerptsStayShortOnOneLineAndCutBetweenCharacters) {
    EXPECT_EQ(excerpt("plain"), "plain");
    EXPECT_EQ(excerpt("two\nlines\t"), "two\\nlines\\t");
    EXPECT_EQ(excerpt(std::string(1000, 'x')), std::string(60, 'x') + "...");
    // 59 bytes, then a character of two bytes that would be cut in half.
    EXPECT_EQ(excerpt(std::string(59, 'x') + "\xc3\xa9\xc3\xa9"), std::string(59, 'x') + "\xc3\xa9...");
    EXPECT_LE(excerpt(std::string(1000, '\x80')).size(), 4 * 60u + 3);
}

TEST(TextFile, FileNamesLoseTheirEndings) {
    EXPECT_EQ(name_of_file("data/papers.csv.gz"), "papers");
    EXPECT_EQ(name_of_file("papers.mtx"), "papers");
    EXPECT_EQ(name_of_file("papers"), "papers");
}

}  // namespace
}  // namespace hwgcn::text_file_test
