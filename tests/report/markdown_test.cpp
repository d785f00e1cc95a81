#include "report/markdown.hpp"

#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"

namespace hwgcn::markdown_test {
namespace {

using ::hwgcn::testing::expect_input_error;

TEST(MarkdownTable, AlignsPipesWhateverTheBytesOfACharacter) {
    const MarkdownTable table{.columns = {{.heading = "name"}, {.heading = "value", .numeric = true}},
                              .rows = {{"é…", "81.5 ± 0.3"}, {"longest", "–"}}};
    EXPECT_EQ(markdown_text(table),
              "| name    |      value |\n"
              "| ------- | ---------: |\n"
              "| é…      | 81.5 ± 0.3 |\n"
              "| longest |          – |\n");
}

TEST(MarkdownTable, RuleHasAtLeastThreeCharacters) {
    const MarkdownTable table{.columns = {{.heading = "K"}, {.heading = "", .numeric = true}}, .rows = {}};
    EXPECT_EQ(markdown_text(table),
              "| K   |     |\n"
              "| --- | --: |\n");
}

TEST(MarkdownTable, EscapesPipesBackslashesAndLineBreaks) {
    const MarkdownTable table{.columns = {{.heading = "a|b"}}, .rows = {{"c\\|d"}, {"e\nf\r\ng"}}};
    EXPECT_EQ(markdown_text(table),
              "| a\\|b   |\n"
              "| ------ |\n"
              "| c\\\\\\|d |\n"
              "| e f  g |\n");
}

TEST(MarkdownTable, RefusesRowsOfAnotherLength) {
    const MarkdownTable table{.columns = {{.heading = "a"}, {.heading = "b"}}, .rows = {{"1", "2"}, {"3"}}};
    expect_input_error([&] { markdown_text(table); }, {"row 2", "expected 2 cells, got 1"});
    expect_input_error([] { markdown_text({}); }, {"expected at least one column, got none"});
}

TEST(MarkdownHeading, HasAsManyMarksAsItsLevel) {
    EXPECT_EQ(markdown_heading(1, "A"), "# A\n\n");
    EXPECT_EQ(markdown_heading(3, "two\nlines"), "### two lines\n\n");
    expect_input_error([] { markdown_heading(0, "A"); }, {"expected a level in 1..6, got 0"});
    expect_input_error([] { markdown_heading(7, "A"); }, {"expected a level in 1..6, got 7"});
}

}  // namespace
}  // namespace hwgcn::markdown_test
