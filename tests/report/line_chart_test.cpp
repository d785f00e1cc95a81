#include "report/line_chart.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"
#include "report/svg_check.hpp"

namespace hwgcn::line_chart_test {
namespace {

using ::hwgcn::testing::expect_input_error;
using ::hwgcn::testing::markup_problem;
using ::hwgcn::testing::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

LineChart orders_chart() {
    return {
        .title = "Accuracy against K",
        .x_label = "K",
        .y_label = "accuracy",
        .series = {{.name = "hwgcn", .x = {2, 3, 4}, .y = {80, 81, 81.5}, .half_interval = {0.5, 0, 0.25}},
                   {.name = "uniform", .x = {2, 3, 4}, .y = {80, 79, 77}, .half_interval = {}}},
        .reference_lines = {{.label = "gcn", .y = 79.5}}};
}

LineChart one_series(std::vector<double> x, std::vector<double> y) {
    return {.title = "t",
            .x_label = "x",
            .y_label = "y",
            .series = {{.name = "s", .x = std::move(x), .y = std::move(y), .half_interval = {}}},
            .reference_lines = {}};
}

// The end of a text element.
std::string text_element(std::string_view text) {
    return ">" + std::string(text) + "</text>";
}

// The y coordinates of the points of the only line.
std::vector<double> line_heights(const std::string& svg) {
    std::vector<double> heights;
    const std::size_t start = svg.find("points=\"");
    const std::size_t end = svg.find('"', start + 8);
    for (std::size_t comma = svg.find(',', start); comma < end; comma = svg.find(',', comma + 1))
        heights.push_back(std::stod(svg.substr(comma + 1)));
    return heights;
}

TEST(MarkupCheck, FindsWhatIsWrong) {
    EXPECT_EQ(markup_problem("<a b=\"x > y\"><c/>&amp;</a>\n"), "");
    EXPECT_NE(markup_problem("<a><b></a></b>"), "");
    EXPECT_NE(markup_problem("<a>"), "");
    EXPECT_NE(markup_problem("<a>x & y</a>"), "");
    EXPECT_NE(markup_problem("<a>x < y</a>"), "");
    EXPECT_NE(markup_problem("<a/><b/>"), "");
}

TEST(LineChart, IsWellFormedAndSelfContained) {
    const std::string svg = line_chart_svg(orders_chart());
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 720 440\""));
    EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("href")));
    EXPECT_THAT(svg, Not(HasSubstr("url(")));
    EXPECT_EQ(occurrences(svg, "http"), 1U);  // the namespace
}

TEST(LineChart, DrawsEveryPartOnce) {
    const std::string svg = line_chart_svg(orders_chart());
    EXPECT_EQ(occurrences(svg, "<polyline"), 2U);
    EXPECT_EQ(occurrences(svg, "<title>"), 6U);             // one per point
    EXPECT_EQ(occurrences(svg, "class=\"error s0\""), 2U);  // none for the interval 0
    EXPECT_EQ(occurrences(svg, "class=\"error s1\""), 0U);
    EXPECT_EQ(occurrences(svg, "class=\"reference d0\""), 2U);  // the line and its place in the legend
    for (const std::string_view text : {"Accuracy against K", "K", "accuracy", "hwgcn", "uniform", "gcn"})
        EXPECT_EQ(occurrences(svg, text_element(text)), 1U) << text;
    EXPECT_THAT(svg, HasSubstr("<title>hwgcn: 2, 80 ± 0.5</title>"));
    EXPECT_THAT(svg, HasSubstr("<title>hwgcn: 3, 81</title>"));
}

TEST(LineChart, GivesTheSameBytesForTheSameInput) {
    EXPECT_EQ(line_chart_svg(orders_chart()), line_chart_svg(orders_chart()));
}

TEST(LineChart, PlacesValuesInProportion) {
    const std::vector<double> heights =
        line_heights(line_chart_svg(one_series({0, 1, 2, 3}, {10, 20, 40, 0})));
    ASSERT_EQ(heights.size(), 4U);
    EXPECT_LT(heights[2], heights[1]);  // more is higher up
    EXPECT_NEAR((heights[1] - heights[2]) / (heights[0] - heights[1]), 2.0, 1e-3);
    EXPECT_NEAR(heights[3] - heights[0], heights[0] - heights[1], 0.011);
}

TEST(LineChart, TicksAreRoundNumbers) {
    const std::string svg = line_chart_svg(one_series({1, 8}, {74.6, 81.5}));
    for (const std::string_view tick : {"1", "2", "3", "4", "5", "6", "7", "8", "76", "78", "80"})
        EXPECT_EQ(occurrences(svg, text_element(tick)), 1U) << tick;
    const std::string fine = line_chart_svg(one_series({0.1, 0.9}, {-0.02, 0.03}));
    for (const std::string_view tick : {"0.1", "0.5", "0.9", "-0.02", "-0.01", "0.00", "0.03"})
        EXPECT_EQ(occurrences(fine, text_element(tick)), 1U) << tick;
}

TEST(LineChart, WholeNumbersHaveNoTicksBetweenThem) {
    const std::string svg = line_chart_svg(one_series({2, 3}, {1, 50}));
    EXPECT_EQ(occurrences(svg, text_element("2")), 1U);
    EXPECT_EQ(occurrences(svg, text_element("3")), 1U);
    EXPECT_THAT(svg, Not(HasSubstr(text_element("2.5"))));
}

TEST(LineChart, OnePointAndEqualValuesStandInTheMiddle) {
    const double middle = (48.0 + 380.0) / 2;
    for (const double value : {81.5, 0.0, -3.0, 1e-12, 1e12}) {
        const std::string one = line_chart_svg(one_series({3}, {value}));
        EXPECT_EQ(markup_problem(one), "");
        EXPECT_THAT(line_heights(one), ::testing::ElementsAre(::testing::DoubleNear(middle, 0.011))) << value;
        const std::string equal = line_chart_svg(one_series({1, 2, 3}, {value, value, value}));
        EXPECT_EQ(line_heights(equal), std::vector<double>(3, line_heights(one)[0])) << value;
        EXPECT_THAT(equal, Not(HasSubstr("nan")));
    }
}

TEST(LineChart, ErrorBarsAndReferenceLinesFitIntoThePlot) {
    LineChart chart = one_series({1, 2}, {50, 51});
    chart.series[0].half_interval = {20, 1};
    chart.reference_lines = {{.label = "far", .y = 90}};
    const std::string svg = line_chart_svg(chart);
    for (const std::string_view tick : {"40", "60", "80"})
        EXPECT_EQ(occurrences(svg, text_element(tick)), 1U) << tick;
}

TEST(LineChart, EscapesEveryText) {
    LineChart chart = orders_chart();
    const std::string hostile = "<script>\"a\" & 'b'</script>";
    chart.title = chart.x_label = chart.y_label = hostile;
    chart.series[0].name = chart.reference_lines[0].label = "<&>\"'";
    const std::string svg = line_chart_svg(chart);
    EXPECT_EQ(markup_problem(svg), "");
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"));
    EXPECT_THAT(svg, HasSubstr("&lt;&amp;&gt;&quot;&#39;"));
}

TEST(LineChart, ReplacesWhatXmlHasNoPlaceFor) {
    LineChart chart = orders_chart();
    chart.title = std::string("bell\a nul") + '\0' + " end ±";
    chart.x_label = "latin \xE9 1";
    const std::string svg = line_chart_svg(chart);
    EXPECT_THAT(svg, HasSubstr("bell\uFFFD nul\uFFFD end ±"));
    EXPECT_THAT(svg, HasSubstr("latin \uFFFD 1"));
    EXPECT_EQ(svg.find('\0'), std::string::npos);
    EXPECT_EQ(svg.find('\xE9'), std::string::npos);
}

TEST(LineChart, ShortensLongNamesBetweenCharacters) {
    LineChart chart = orders_chart();
    chart.series[0].name = std::string(20, 'a') + "±±±±±±±";
    const std::string svg = line_chart_svg(chart);
    EXPECT_THAT(svg, HasSubstr(">" + std::string(20, 'a') + "±±±…</text>"));
}

TEST(LineChart, FourteenSeriesAllLookDifferent) {
    LineChart chart = one_series({1, 2}, {1, 2});
    chart.series.resize(14, chart.series[0]);
    const std::string svg = line_chart_svg(chart);
    EXPECT_EQ(occurrences(svg, "<polyline"), 14U);
    for (int color = 0; color < 7; ++color) {
        EXPECT_EQ(occurrences(svg, "class=\"line s" + std::to_string(color) + "\""), 2U);  // line and legend
        EXPECT_EQ(occurrences(svg, "class=\"line s" + std::to_string(color) + " hollow\""), 2U);
    }
    chart.reference_lines = {{.label = "one too many", .y = 1}};
    expect_input_error([&] { line_chart_svg(chart); },
                       {"chart 't'", "expected at most 14 series and reference lines, got 15"});
}

TEST(LineChart, RefusesNumbersThatCannotBeDrawn) {
    for (const double bad : {nan, infinity, -infinity, 1e13, 1e300}) {
        expect_input_error(
            [&] {
                line_chart_svg(one_series({1, 2}, {1, bad}));
            },
            {"chart 't', series 's', point 2", "expected a finite number of at most 1e+12"});
        expect_input_error([&] { line_chart_svg(one_series({bad, 2}, {1, 2})); }, {"series 's', point 1"});
        LineChart chart = orders_chart();
        chart.series[0].half_interval[1] = bad;
        expect_input_error([&] { line_chart_svg(chart); }, {"series 'hwgcn', point 2"});
        chart = orders_chart();
        chart.reference_lines[0].y = bad;
        expect_input_error([&] { line_chart_svg(chart); }, {"reference line 'gcn'"});
    }
    LineChart chart = orders_chart();
    chart.series[0].half_interval[2] = -0.5;
    expect_input_error([&] { line_chart_svg(chart); },
                       {"point 3", "expected an interval of at least 0, got -0.5"});
}

TEST(LineChart, RefusesListsThatDoNotAgree) {
    expect_input_error([] { line_chart_svg({}); }, {"expected at least one series, got none"});
    expect_input_error([] { line_chart_svg(one_series({}, {})); },
                       {"series 's'", "expected at least one point"});
    expect_input_error([] { line_chart_svg(one_series({1, 2}, {1})); }, {"expected 2 values of y, got 1"});
    LineChart chart = orders_chart();
    chart.series[0].half_interval.pop_back();
    expect_input_error([&] { line_chart_svg(chart); },
                       {"series 'hwgcn'", "expected 3 intervals or none, got 2"});
}

}  // namespace
}  // namespace hwgcn::line_chart_test
