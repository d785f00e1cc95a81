#include "report/line_chart.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "report/chart_axis.hpp"
#include "report/chart_parts.hpp"

namespace hwgcn {
namespace {

void check_series(const LineSeries& series, const std::string& place) {
    const std::size_t points = series.x.size();
    if (points == 0) throw InputError(fmt::format("{}: expected at least one point, got none", place));
    if (series.y.size() != points)
        throw InputError(fmt::format("{}: expected {} values of y, got {}", place, points, series.y.size()));
    if (!series.half_interval.empty() && series.half_interval.size() != points) {
        throw InputError(fmt::format("{}: expected {} intervals or none, got {}", place, points,
                                     series.half_interval.size()));
    }
    for (std::size_t point = 0; point < points; ++point) {
        const std::string point_place = fmt::format("{}, point {}", place, point + 1);
        check_number(series.x[point], point_place);
        check_number(series.y[point], point_place);
        if (!series.half_interval.empty()) check_half_interval(series.half_interval[point], point_place);
    }
}

void check_chart(const LineChart& chart) {
    const std::string place = fmt::format("chart '{}'", chart.title);
    if (chart.series.empty())
        throw InputError(fmt::format("{}: expected at least one series, got none", place));
    const std::size_t entries = chart.series.size() + chart.reference_lines.size();
    if (entries > most_legend_entries) {
        throw InputError(fmt::format("{}: expected at most {} series and reference lines, got {}", place,
                                     most_legend_entries, entries));
    }
    for (const LineSeries& series : chart.series)
        check_series(series, fmt::format("{}, series '{}'", place, series.name));
    for (const ReferenceLine& line : chart.reference_lines)
        check_number(line.y, fmt::format("{}, reference line '{}'", place, line.label));
}

double half_interval(const LineSeries& series, std::size_t point) {
    return series.half_interval.empty() ? 0.0 : series.half_interval[point];
}

ChartAxis make_x_axis(const LineChart& chart) {
    AxisRange range;
    bool whole_numbers = true;
    for (const LineSeries& series : chart.series) {
        for (const double x : series.x) {
            range.include(x);
            whole_numbers = whole_numbers && x == std::floor(x);
        }
    }
    return make_axis(range, {.most_steps = 10, .smallest_step = whole_numbers ? 1.0 : 0.0});
}

ChartAxis make_y_axis(const LineChart& chart) {
    AxisRange range;
    for (const LineSeries& series : chart.series) {
        for (std::size_t point = 0; point < series.y.size(); ++point) {
            range.include(series.y[point] - half_interval(series, point));
            range.include(series.y[point] + half_interval(series, point));
        }
    }
    for (const ReferenceLine& line : chart.reference_lines)
        range.include(line.y);
    return make_axis(range, {});
}

std::string reference_style(std::size_t number) {
    return fmt::format("reference d{}", number % 4);
}

std::vector<LegendEntry> make_legend(const LineChart& chart) {
    std::vector<LegendEntry> legend;
    for (std::size_t number = 0; number < chart.series.size(); ++number) {
        legend.push_back(
            {chart.series[number].name,
             draw_line(-12, 0, 12, 0, "line " + series_style(number)) + draw_marker(number, 0, 0)});
    }
    for (std::size_t number = 0; number < chart.reference_lines.size(); ++number)
        legend.push_back(
            {chart.reference_lines[number].label, draw_line(-12, 0, 12, 0, reference_style(number))});
    return legend;
}

/// A chart that is being drawn: its axes and the place for its data.
struct LinePlot {
    ChartAxis x_axis;
    ChartAxis y_axis;
    PlotArea area;

    double x(double value) const { return coordinate(x_axis, value, area.left, area.right); }
    double y(double value) const { return coordinate(y_axis, value, area.bottom, area.top); }
};

std::string draw_x_axis(const LinePlot& plot, const std::string& label) {
    std::string svg = draw_line(plot.area.left, plot.area.bottom, plot.area.right, plot.area.bottom, "axis");
    for (const double tick : axis_ticks(plot.x_axis)) {
        const double x = plot.x(tick);
        svg += draw_line(x, plot.area.bottom, x, plot.area.bottom + 5, "axis");
        svg += draw_text(x, plot.area.bottom + 19, "middle", tick_text(plot.x_axis, tick));
    }
    return svg + draw_text((plot.area.left + plot.area.right) / 2, plot.area.bottom + 42, "middle", label);
}

std::string draw_series(const LinePlot& plot, const LineSeries& series, std::size_t number) {
    const std::string style = series_style(number);
    std::string error_bars, path, markers;
    for (std::size_t point = 0; point < series.x.size(); ++point) {
        const double x = plot.x(series.x[point]);
        const double y = plot.y(series.y[point]);
        const double half = half_interval(series, point);
        path += fmt::format("{}{:.2f},{:.2f}", path.empty() ? "" : " ", x, y);
        std::string hint = fmt::format("{}: {:g}, {:g}", series.name, series.x[point], series.y[point]);
        if (half > 0) {
            hint += fmt::format(" ± {:g}", half);
            error_bars += draw_error_bar(x, plot.y(series.y[point] + half), plot.y(series.y[point] - half),
                                         "error " + style);
        }
        markers += draw_marker(number, x, y, hint);
    }
    return error_bars + fmt::format("<polyline points=\"{}\" class=\"line {}\"/>\n", path, style) + markers;
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
    check_chart(chart);
    const std::vector<LegendEntry> legend = make_legend(chart);
    const ChartAxis y_axis = make_y_axis(chart);
    const LinePlot plot{
        .x_axis = make_x_axis(chart), .y_axis = y_axis, .area = make_plot_area(y_axis, legend, 60)};

    std::string svg =
        draw_value_axis(plot.area, plot.y_axis, chart.y_label) + draw_x_axis(plot, chart.x_label);
    for (std::size_t number = 0; number < chart.reference_lines.size(); ++number) {
        const double y = plot.y(chart.reference_lines[number].y);
        svg += draw_line(plot.area.left, y, plot.area.right, y, reference_style(number));
    }
    for (std::size_t number = 0; number < chart.series.size(); ++number)
        svg += draw_series(plot, chart.series[number], number);
    return draw_chart(chart.title, svg + draw_legend(plot.area, legend));
}

}  // namespace hwgcn
