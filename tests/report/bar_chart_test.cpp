#include "report/bar_chart.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"
#include "report/svg_check.hpp"

namespace hwgcn::bar_chart_test {
namespace {

using ::hwgcn::testing::expect_input_error;
using ::hwgcn::testing::markup_problem;
using ::hwgcn::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

GroupedBarChart small_chart() {
    return {.title = "Fixed split",
            .y_label = "accuracy",
            .groups = {"cora", "pubmed"},
            .series = {{.name = "gcn",
                        .bars = {Bar{.value = 80, .half_interval = 1, .published = 81.5}, Bar{.value = 40}}},
                       {.name = "hwgcn", .bars = {std::nullopt, Bar{.value = 60, .half_interval = 2}}}}};
}

struct Rectangle {
    double x, y, width, height;
};

// The bars, that is the rectangles with a hint.
std::vector<Rectangle> bars_of(const std::string& svg) {
    const auto attribute = [&](std::size_t from, const std::string& name) {
        return std::stod(svg.substr(svg.find(name + "=\"", from) + name.size() + 2));
    };
    std::vector<Rectangle> bars;
    for (std::size_t at = svg.find("<rect"); at != std::string::npos; at = svg.find("<rect", at + 1)) {
        if (svg[svg.find('>', at) - 1] == '/') continue;
        bars.push_back(
            {attribute(at, " x"), attribute(at, " y"), attribute(at, " width"), attribute(at, " height")});
    }
    return bars;
}

TEST(GroupedBarChart, IsWellFormedAndDeterministic) {
    const std::string svg = grouped_bar_chart_svg(small_chart());
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_EQ(svg, grouped_bar_chart_svg(small_chart()));
}

TEST(GroupedBarChart, BarsAreAsHighAsTheirValues) {
    const std::vector<Rectangle> bars = bars_of(grouped_bar_chart_svg(small_chart()));
    ASSERT_EQ(bars.size(), 3U);
    EXPECT_NEAR(bars[0].height / bars[1].height, 2.0, 1e-3);
    EXPECT_NEAR(bars[2].height / bars[1].height, 1.5, 1e-3);
    for (const Rectangle& bar : bars)
        EXPECT_NEAR(bar.y + bar.height, bars[0].y + bars[0].height, 0.011);  // they stand on one line
    EXPECT_LT(bars[0].x + bars[0].width, bars[1].x);
    EXPECT_LT(bars[1].x + bars[1].width, bars[2].x);
}

TEST(GroupedBarChart, BarsBeginAtTheBaselineAndHangBelowIt) {
    GroupedBarChart chart = small_chart();
    chart.baseline = 50;
    const std::vector<Rectangle> bars = bars_of(grouped_bar_chart_svg(chart));
    const double baseline = bars[0].y + bars[0].height;
    EXPECT_NEAR(bars[1].y, baseline, 0.011);
    EXPECT_NEAR(bars[0].height / bars[1].height, 3.0, 1e-2);
}

TEST(GroupedBarChart, DrawsIntervalsAndPublishedValuesWhereThereAreSome) {
    GroupedBarChart chart = small_chart();
    std::string svg = grouped_bar_chart_svg(chart);
    EXPECT_EQ(occurrences(svg, "class=\"error neutral\""), 2U);
    EXPECT_EQ(occurrences(svg, "class=\"published\""), 2U);  // the diamond and its place in the legend
    EXPECT_THAT(svg, HasSubstr(">published</text>"));
    EXPECT_THAT(svg, HasSubstr("<title>cora, gcn: 80 ± 1 (published: 81.5)</title>"));
    EXPECT_THAT(svg, HasSubstr("<title>pubmed, gcn: 40</title>"));
    chart.series[0].bars[0]->published.reset();
    svg = grouped_bar_chart_svg(chart);
    EXPECT_EQ(occurrences(svg, "class=\"published\""), 0U);
    EXPECT_THAT(svg, Not(HasSubstr(">published</text>")));
}

TEST(GroupedBarChart, TiltsNamesOnlyWhereTheyDoNotFit) {
    GroupedBarChart chart = small_chart();
    EXPECT_THAT(grouped_bar_chart_svg(chart), Not(HasSubstr("rotate(-30)")));
    chart.groups.assign(20, "planetoid");
    for (BarSeries& series : chart.series)
        series.bars.resize(20);
    EXPECT_EQ(occurrences(grouped_bar_chart_svg(chart), "rotate(-30)"), 20U);
}

TEST(GroupedBarChart, NothingMeasuredAndZerosAreCharts) {
    GroupedBarChart chart = small_chart();
    for (BarSeries& series : chart.series)
        series.bars.assign(2, std::nullopt);
    EXPECT_EQ(markup_problem(grouped_bar_chart_svg(chart)), "");
    chart.series[0].bars.assign(2, Bar{});
    const std::string svg = grouped_bar_chart_svg(chart);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_EQ(bars_of(svg).at(0).height, 0.0);
}

TEST(GroupedBarChart, EscapesEveryText) {
    GroupedBarChart chart = small_chart();
    chart.title = chart.y_label = chart.groups[0] = chart.series[0].name = chart.published_label =
        "<a & \"b\">";
    const std::string svg = grouped_bar_chart_svg(chart);
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_EQ(occurrences(svg, ">&lt;a &amp; &quot;b&quot;&gt;</text>"), 5U);
}

TEST(GroupedBarChart, RefusesWhatCannotBeDrawn) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -2e12}) {
        GroupedBarChart chart = small_chart();
        chart.series[1].bars[1]->value = bad;
        expect_input_error(
            [&] { grouped_bar_chart_svg(chart); },
            {"chart 'Fixed split', series 'hwgcn', group 'pubmed'", "expected a finite number"});
        chart = small_chart();
        chart.series[0].bars[0]->published = bad;
        expect_input_error([&] { grouped_bar_chart_svg(chart); }, {"series 'gcn', group 'cora'"});
        chart = small_chart();
        chart.baseline = bad;
        expect_input_error([&] { grouped_bar_chart_svg(chart); }, {"baseline"});
    }
    GroupedBarChart chart = small_chart();
    chart.series[0].bars[0]->half_interval = -1;
    expect_input_error([&] { grouped_bar_chart_svg(chart); }, {"expected an interval of at least 0, got -1"});
    chart = small_chart();
    chart.series[1].bars.pop_back();
    expect_input_error([&] { grouped_bar_chart_svg(chart); }, {"series 'hwgcn'", "expected 2 bars, got 1"});
    chart = small_chart();
    chart.series.clear();
    expect_input_error([&] { grouped_bar_chart_svg(chart); }, {"expected 1 to 13 series, got 0"});
    expect_input_error([] { grouped_bar_chart_svg({}); }, {"expected 1 to 24 groups, got 0"});
    chart.series.resize(14, {.name = "s", .bars = {std::nullopt, std::nullopt}});
    expect_input_error([&] { grouped_bar_chart_svg(chart); }, {"expected 1 to 13 series, got 14"});
}

}  // namespace
}  // namespace hwgcn::bar_chart_test
