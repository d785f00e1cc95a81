#include "base/safe_text.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/utf8.hpp"

namespace hwgcn::safe_text_test {
namespace {

using namespace std::string_literals;

TEST(SafeText, LeavesLettersOfAllLanguagesAsTheyAre) {
    const std::string text = "plain, \\x41, J\xc3\xb6rg, \xe4\xb8\xad\xe6\x96\x87, \xf0\x9f\x98\x80";
    EXPECT_EQ(safe_text(text), text);
    EXPECT_EQ(safe_text(""), "");
}

TEST(SafeText, EscapesWhatCommandsATerminalOrHides) {
    EXPECT_EQ(safe_text("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(safe_text("\x1b[31mred\a\0end\x7f"s), "\\x1b[31mred\\x07\\x00end\\x7f");
    EXPECT_EQ(safe_text("\xc2\x9b"
                        "31m"),
              "\\u009b31m");                                                   // a C1 control in UTF-8
    EXPECT_EQ(safe_text("nod\xe2\x80\xae\xe2\x81\xa6"), "nod\\u202e\\u2066");  // turns the writing
    EXPECT_EQ(safe_text("a\xe2\x80\x8b\xef\xbb\xbf"), "a\\u200b\\ufeff");      // no width
    EXPECT_EQ(safe_text("a\xe2\x80\xa8"), "a\\u2028") << "the end of a line";
}

TEST(SafeText, EscapesBytesThatAreNotUtf8OneByOne) {
    EXPECT_EQ(safe_text("J\xf6rg"), "J\\xf6rg");
    EXPECT_EQ(safe_text("\xc3"), "\\xc3") << "half a character";
    EXPECT_EQ(safe_text("\xc0\xaf"), "\\xc0\\xaf") << "longer than it need be";
    EXPECT_EQ(safe_text("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
    EXPECT_EQ(safe_text("\x9b"
                        "31m"),
              "\\x9b31m");
}

TEST(SafeText, EveryByteGivesHarmlessTextThatStaysAsItIs) {
    for (int first = 0; first < 256; ++first) {
        for (int second = 0; second < 256; ++second) {
            const std::string text = {static_cast<char>(first), static_cast<char>(second)};
            const std::string safe = safe_text(text);
            EXPECT_TRUE(is_utf8(safe));
            EXPECT_TRUE(std::ranges::none_of(safe, [](char byte) { return byte >= 0 && byte < ' '; }));
            EXPECT_EQ(safe_text(safe), safe);
        }
    }
}

TEST(SafeText, CutsShortByCharacters) {
    EXPECT_EQ(safe_text("abc", 3), "abc");
    EXPECT_EQ(safe_text("abcd", 3), "abc...");
    EXPECT_EQ(safe_text("\xc3\xa9\xc3\xa9\xc3\xa9", 2), "\xc3\xa9\xc3\xa9...");
    EXPECT_EQ(safe_text("\xff\xff\xff", 2), "\\xff\\xff...");
}

TEST(SafeJson, KeepsItsMeaningAndItsLines) {
    EXPECT_EQ(safe_json("{\n \"a\": \"\xc2\x9b\xe2\x80\xae\x7f\xc3\xb6\"\n}"),
              "{\n \"a\": \"\\u009b\\u202e\\u007f\xc3\xb6\"\n}");
}

TEST(Error, ShowsNoRawBytesOfWhatItQuotes) {
    EXPECT_STREQ(InputError("f.csv:3: '\x1b[2J\xff\n'").what(), "f.csv:3: '\\x1b[2J\\xff\\n'");
    EXPECT_STREQ(ExecutionError("\xe2\x80\xae").what(), "\\u202e");
    try {
        fail_in_file("b\xe9.csv", "is empty");
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "b\\xe9.csv: is empty");
    }
}

}  // namespace
}  // namespace hwgcn::safe_text_test
