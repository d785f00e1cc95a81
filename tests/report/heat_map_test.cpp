#include "report/heat_map.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"
#include "report/svg_check.hpp"

namespace hwgcn::heat_map_test {
namespace {

using ::hwgcn::testing::expect_input_error;
using ::hwgcn::testing::markup_problem;
using ::hwgcn::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

HeatMap small_map() {
    return {.title = "Gains",
            .x_label = "degree",
            .y_label = "homophily",
            .columns = {"2", "4", "8"},
            .rows = {"0.9", "0.5"},
            .cells = {{HeatCell{8, 1}, HeatCell{4, 0.5}, HeatCell{0.25, 0.5}},
                      {HeatCell{-4, 1}, std::nullopt, HeatCell{-0.01}}}};
}

struct Tile {
    double x, y, width, height, opacity;
    std::string style;
};

// The cells, that is the rectangles with a hint.
std::vector<Tile> tiles_of(const std::string& svg) {
    std::vector<Tile> tiles;
    for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) {
        const std::string tag = svg.substr(at, svg.find('>', at) - at);
        if (!svg.substr(at + tag.size()).starts_with("><title>")) continue;
        const auto attribute = [&](const std::string& name) {
            const std::size_t start = tag.find(" " + name + "=\"") + name.size() + 3;
            return tag.substr(start, tag.find('"', start) - start);
        };
        tiles.push_back({std::stod(attribute("x")), std::stod(attribute("y")), std::stod(attribute("width")),
                         std::stod(attribute("height")), std::stod(attribute("opacity")),
                         attribute("class")});
    }
    return tiles;
}

TEST(HeatMap, IsWellFormedAndDeterministic) {
    const std::string svg = heat_map_svg(small_map());
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_EQ(svg, heat_map_svg(small_map()));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

TEST(HeatMap, EveryCellLiesInItsRowAndColumn) {
    const std::vector<Tile> tiles = tiles_of(heat_map_svg(small_map()));
    ASSERT_EQ(tiles.size(), 5U);  // one of six was not measured
    for (const Tile& tile : tiles) {
        EXPECT_DOUBLE_EQ(tile.width, tiles[0].width);
        EXPECT_DOUBLE_EQ(tile.height, tiles[0].height);
    }
    EXPECT_EQ(tiles[1].y, tiles[0].y);
    EXPECT_NEAR(tiles[1].x - tiles[0].x, tiles[2].x - tiles[1].x, 0.011);
    EXPECT_LT(tiles[0].x + tiles[0].width, tiles[1].x);
    EXPECT_EQ(tiles[3].x, tiles[0].x);
    EXPECT_LT(tiles[0].y + tiles[0].height, tiles[3].y);
    EXPECT_EQ(tiles[4].x, tiles[2].x);
}

TEST(HeatMap, ColoursSaySignAndSize) {
    HeatMap map = small_map();
    std::vector<Tile> tiles = tiles_of(heat_map_svg(map));
    EXPECT_EQ(tiles[0].style, tiles[1].style);
    EXPECT_NE(tiles[0].style, tiles[3].style);
    EXPECT_EQ(tiles[3].style, tiles[4].style);
    EXPECT_NEAR(tiles[0].opacity, 2 * tiles[1].opacity, 0.002);
    EXPECT_NEAR(tiles[3].opacity, tiles[1].opacity, 0.002);
    EXPECT_LT(tiles[4].opacity, 0.01);
    map.full_color = 4;  // larger ones are no darker
    tiles = tiles_of(heat_map_svg(map));
    EXPECT_EQ(tiles[0].opacity, tiles[1].opacity);
}

TEST(HeatMap, PrintsValuesAndBracketsThoseThatMayBeZero) {
    const std::string svg = heat_map_svg(small_map());
    for (const char* text : {">+8.0<", ">+4.0<", ">(+0.3)<", ">-4.0<", ">–<", ">0.0<", ">± 1.0<", ">± 0.5<"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_THAT(svg, Not(HasSubstr("-0.0<")));
    EXPECT_THAT(svg, HasSubstr("<title>homophily 0.9, degree 8: +0.25 ± 0.5</title>"));
    EXPECT_THAT(svg, HasSubstr(">interval holds 0</text>"));
    HeatMap sure = small_map();
    sure.cells[0][2].reset();
    EXPECT_THAT(heat_map_svg(sure), Not(HasSubstr("interval holds 0")));
}

TEST(HeatMap, UncertainIsAnIntervalThatContainsZero) {
    EXPECT_TRUE(is_uncertain({1, 1}));
    EXPECT_TRUE(is_uncertain({-1, 2}));
    EXPECT_FALSE(is_uncertain({-1, 0.5}));
    EXPECT_FALSE(is_uncertain({0, 0})) << "without an interval nothing is known";
}

TEST(HeatMap, OneCellZerosAndNothingMeasuredAreMaps) {
    const HeatMap one{
        .title = "", .x_label = "", .y_label = "", .columns = {"a"}, .rows = {"b"}, .cells = {{HeatCell{}}}};
    const std::string svg = heat_map_svg(one);
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_EQ(tiles_of(svg).at(0).opacity, 0.0);
    HeatMap nothing = one;
    nothing.cells = {{std::nullopt}};
    EXPECT_EQ(markup_problem(heat_map_svg(nothing)), "");
    EXPECT_TRUE(tiles_of(heat_map_svg(nothing)).empty());
}

TEST(HeatMap, SmallValuesGetMoreDecimals) {
    HeatMap map = small_map();
    map.cells = {{HeatCell{0.12}, HeatCell{-0.004}, HeatCell{0.3, 0.05}},
                 {std::nullopt, std::nullopt, std::nullopt}};
    const std::string svg = heat_map_svg(map);
    for (const char* text : {">+0.12<", ">0.00<", ">+0.30<", ">± 0.05<"})
        EXPECT_THAT(svg, HasSubstr(text));
}

TEST(HeatMap, EscapesEveryText) {
    HeatMap map = small_map();
    map.title = map.x_label = map.y_label = map.columns[0] = map.rows[0] = "<a & \"b\">";
    const std::string svg = heat_map_svg(map);
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_EQ(occurrences(svg, ">&lt;a &amp; &quot;b&quot;&gt;</text>"), 5U);
}

TEST(HeatMap, RefusesWhatCannotBeDrawn) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -2e12}) {
        HeatMap map = small_map();
        map.cells[1][0]->value = bad;
        expect_input_error([&] { heat_map_svg(map); },
                           {"heat map 'Gains', row '0.5', column '2'", "expected a finite number"});
        map = small_map();
        map.cells[0][1]->half_interval = bad;
        expect_input_error([&] { heat_map_svg(map); }, {"row '0.9', column '4'"});
        map = small_map();
        map.full_color = bad;
        expect_input_error([&] { heat_map_svg(map); }, {"full colour"});
    }
    HeatMap map = small_map();
    map.cells[0][0]->half_interval = -1;
    expect_input_error([&] { heat_map_svg(map); }, {"expected an interval of at least 0, got -1"});
    map = small_map();
    map.cells[1].pop_back();
    expect_input_error([&] { heat_map_svg(map); }, {"row '0.5'", "expected 3 cells, got 2"});
    map = small_map();
    map.cells.pop_back();
    expect_input_error([&] { heat_map_svg(map); }, {"expected 2 rows of cells, got 1"});
    expect_input_error([] { heat_map_svg({}); }, {"expected 1 to 10 columns, got 0"});
    map = small_map();
    map.rows.clear();
    map.cells.clear();
    expect_input_error([&] { heat_map_svg(map); }, {"expected 1 to 10 rows, got 0"});
    map = small_map();
    map.columns.resize(11);
    expect_input_error([&] { heat_map_svg(map); }, {"expected 1 to 10 columns, got 11"});
}

}  // namespace
}  // namespace hwgcn::heat_map_test
