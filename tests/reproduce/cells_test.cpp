#include "cells.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"

namespace hwgcn::cells_test {
namespace {

using ::hwgcn::testing::expect_input_error;

std::vector<ResultCell> small_cells() {
    return {{.dataset = "cora",
             .method = "gcn",
             .setting = "fixed",
             .ours = 81.75,
             .std = 0.5,
             .runs = 100,
             .paper = 81.5},
            {.dataset = "cora",
             .method = "hwgcn",
             .setting = "fixed",
             .ours = 82.125,
             .std = 0.25,
             .runs = 100,
             .paper = 83.0},
            {.dataset = "karate",
             .method = "gcn",
             .setting = "fixed",
             .ours = 97.0,
             .std = 2,
             .runs = 10,
             .paper = {}},
            {.dataset = "cora",
             .method = "gcn",
             .setting = "random:5",
             .ours = 69.199,
             .std = 0,
             .runs = 1,
             .paper = 69.2}};
}

TEST(ResultCell, DifferenceIsOursLessThePapers) {
    EXPECT_EQ(difference(small_cells()[0]), 0.25);
    EXPECT_EQ(difference(small_cells()[1]), -0.875);
    EXPECT_EQ(difference(small_cells()[2]), std::nullopt);
}

TEST(CellsJson, HasItsKeysInOrderAndNullWithoutAPublishedNumber) {
    const std::vector<ResultCell> cells = small_cells();
    EXPECT_EQ(cells_json("fixed", std::span(cells).subspan(1, 2)), R"({
  "target": "fixed",
  "cells": [
    {
      "dataset": "cora",
      "method": "hwgcn",
      "setting": "fixed",
      "ours": 82.125,
      "std": 0.25,
      "runs": 100,
      "asked": 100,
      "paper": 83.0,
      "difference": -0.875,
      "by_loss": null,
      "seconds": null,
      "peak_mb": null
    },
    {
      "dataset": "karate",
      "method": "gcn",
      "setting": "fixed",
      "ours": 97.0,
      "std": 2.0,
      "runs": 10,
      "asked": 10,
      "paper": null,
      "difference": null,
      "by_loss": null,
      "seconds": null,
      "peak_mb": null
    }
  ]
}
)");
}

TEST(CellsJson, HasWhatIsKnownOfTheRuns) {
    std::vector<ResultCell> cells = {small_cells()[2]};
    cells[0].asked = 30;
    cells[0].by_loss = 96.5;
    cells[0].seconds = 1.25;
    cells[0].peak_mb = 512.0;
    const std::string json = cells_json("graphs", cells);
    for (const char* text : {"\"asked\": 30", "\"by_loss\": 96.5", "\"seconds\": 1.25", "\"peak_mb\": 512.0"})
        EXPECT_NE(json.find(text), std::string::npos) << text << " in " << json;
}

TEST(CellsMarkdown, MarksACellWithFewerRunsThanAskedFor) {
    std::vector<ResultCell> cells = {small_cells()[2]};
    cells[0].asked = 30;
    EXPECT_NE(cells_markdown(cells).find("| 97.00 ± 2.00 (10 of 30) |"), std::string::npos)
        << cells_markdown(cells);
}

TEST(CellsJson, OfNothingIsAnEmptyList) {
    EXPECT_EQ(cells_json("a \"b\"", {}), "{\n  \"target\": \"a \\\"b\\\"\",\n  \"cells\": []\n}\n");
}

TEST(CellsMarkdown, HasATablePerSetting) {
    EXPECT_EQ(cells_markdown(small_cells()),
              "## Fixed split\n"
              "\n"
              "Mean ± standard deviation over 10 to 100 runs, in percent.\n"
              "\n"
              "| method | cora: ours ± std | paper |  diff | karate: ours ± std | paper | diff |\n"
              "| ------ | ---------------: | ----: | ----: | -----------------: | ----: | ---: |\n"
              "| gcn    |     81.75 ± 0.50 |  81.5 | +0.25 |       97.00 ± 2.00 |     – |    – |\n"
              "| hwgcn  |     82.12 ± 0.25 |  83.0 | -0.88 |                  – |     – |    – |\n"
              "\n"
              "## Random splits, 5 per class\n"
              "\n"
              "One run, in percent.\n"
              "\n"
              "| method | cora: ours ± std | paper |  diff |\n"
              "| ------ | ---------------: | ----: | ----: |\n"
              "| gcn    |            69.20 |  69.2 | +0.00 |\n");
}

TEST(CellsMarkdown, KeepsTheDecimalsThatThePaperPrints) {
    const std::vector<ResultCell> cells{{.dataset = "cora",
                                         .method = "order 2",
                                         .setting = "weights",
                                         .ours = 42.5,
                                         .std = 0,
                                         .runs = 1,
                                         .paper = 42.79}};
    EXPECT_NE(cells_markdown(cells).find("| order 2 |            42.50 | 42.79 | -0.29 |\n"),
              std::string::npos);
    EXPECT_TRUE(cells_markdown(cells).starts_with("## weights\n"));
}

TEST(CellsMarkdown, WithoutThePaperHasNoColumnsForIt) {
    std::vector<ResultCell> cells = small_cells();
    std::erase_if(cells, [](const ResultCell& cell) { return cell.paper.has_value(); });
    ASSERT_EQ(cells.size(), 1U);
    EXPECT_NE(cells_markdown(cells).find("| method | karate: ours ± std |\n"), std::string::npos)
        << cells_markdown(cells);
}

TEST(CellsMarkdown, OfNothingIsEmpty) {
    EXPECT_EQ(cells_markdown({}), "");
}

TEST(Cells, MustBeFiniteAndDistinct) {
    const auto expect_refused = [](const std::vector<ResultCell>& cells, std::string_view message) {
        expect_input_error([&] { cells_json("all", cells); }, {"result of gcn on cora, fixed", message});
        expect_input_error([&] { cells_markdown(cells); }, {"result of gcn on cora, fixed", message});
    };
    for (double ResultCell::*number : {&ResultCell::ours, &ResultCell::std}) {
        std::vector<ResultCell> cells = small_cells();
        cells[0].*number = std::numeric_limits<double>::quiet_NaN();
        expect_refused(cells, "expected a finite number, got nan");
    }
    std::vector<ResultCell> cells = small_cells();
    cells[0].paper = std::numeric_limits<double>::infinity();
    expect_refused(cells, "expected a finite number, got inf");
    cells = small_cells();
    cells[0].std = -1;
    expect_refused(cells, "expected a deviation of at least 0, got -1");
    cells = small_cells();
    cells[0].runs = 0;
    expect_refused(cells, "expected at least one run, got 0");
    cells = small_cells();
    cells.push_back(cells[0]);
    expect_refused(cells, "expected one such result, got two");
}

}  // namespace
}  // namespace hwgcn::cells_test
