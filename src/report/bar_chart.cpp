#include "report/bar_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "report/chart_axis.hpp"
#include "report/chart_parts.hpp"
#include "report/text.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t most_groups = 24;
constexpr std::size_t most_series = most_legend_entries - 1;  // one place is for the published values
constexpr std::size_t longest_tilted_name = 14;

void check_count(std::size_t count, std::size_t most, std::string_view what, const std::string& place) {
    if (count < 1 || count > most)
        throw InputError(fmt::format("{}: expected 1 to {} {}, got {}", place, most, what, count));
}

void check_chart(const GroupedBarChart& chart) {
    const std::string place = fmt::format("chart '{}'", chart.title);
    check_count(chart.groups.size(), most_groups, "groups", place);
    check_count(chart.series.size(), most_series, "series", place);
    check_number(chart.baseline, place + ", baseline");
    for (const BarSeries& series : chart.series) {
        const std::string series_place = fmt::format("{}, series '{}'", place, series.name);
        if (series.bars.size() != chart.groups.size()) {
            throw InputError(fmt::format("{}: expected {} bars, got {}", series_place, chart.groups.size(),
                                         series.bars.size()));
        }
        for (std::size_t group = 0; group < series.bars.size(); ++group) {
            if (!series.bars[group]) continue;
            const Bar& bar = *series.bars[group];
            const std::string bar_place = fmt::format("{}, group '{}'", series_place, chart.groups[group]);
            check_number(bar.value, bar_place);
            check_half_interval(bar.half_interval, bar_place);
            if (bar.published) check_number(*bar.published, bar_place);
        }
    }
}

ChartAxis make_value_axis(const GroupedBarChart& chart) {
    AxisRange range;
    range.include(chart.baseline);
    for (const BarSeries& series : chart.series) {
        for (const std::optional<Bar>& bar : series.bars) {
            if (!bar) continue;
            range.include(bar->value - bar->half_interval);
            range.include(bar->value + bar->half_interval);
            if (bar->published) range.include(*bar->published);
        }
    }
    // Bars stand on the edge of the plot where none hangs below the baseline.
    return make_axis(range, {.space_below = range.lowest < chart.baseline ? 0.05 : 0.0});
}

std::vector<LegendEntry> make_legend(const GroupedBarChart& chart) {
    std::vector<LegendEntry> legend;
    bool any_published = false;
    for (std::size_t number = 0; number < chart.series.size(); ++number) {
        legend.push_back({chart.series[number].name,
                          fmt::format("<rect x=\"-8\" y=\"-6\" width=\"16\" height=\"12\" class=\"{}\"/>\n",
                                      series_style(number))});
        for (const std::optional<Bar>& bar : chart.series[number].bars)
            any_published = any_published || (bar && bar->published);
    }
    if (any_published) legend.push_back({chart.published_label, draw_diamond(0, 0, 5, "published")});
    return legend;
}

/// A chart that is being drawn: its axis, the place for its data, and how that is shared among the bars.
struct Plot {
    ChartAxis axis;
    PlotArea area;
    double group_width;
    double bar_width;
    bool tilted_names;

    double y(double value) const { return coordinate(axis, value, area.bottom, area.top); }
    double group_middle(std::size_t group) const {
        return area.left + group_width * (static_cast<double>(group) + 0.5);
    }
};

// Names lie flat where the longest fits below its group.
Plot make_plot(const GroupedBarChart& chart, const std::vector<LegendEntry>& legend) {
    const ChartAxis axis = make_value_axis(chart);
    PlotArea area = make_plot_area(axis, legend, 40);
    const double group_width = (area.right - area.left) / static_cast<double>(chart.groups.size());
    const double bar_width = std::min(48.0, 0.8 * group_width / static_cast<double>(chart.series.size()));
    const bool tilted_names = std::ranges::any_of(chart.groups, [&](const std::string& name) {
        return text_width(character_count(name)) > group_width;
    });
    if (tilted_names) area.bottom -= 28;
    return {.axis = axis,
            .area = area,
            .group_width = group_width,
            .bar_width = bar_width,
            .tilted_names = tilted_names};
}

std::string draw_group_name(const Plot& plot, const std::string& name, std::size_t group) {
    const double x = plot.group_middle(group);
    const double y = plot.area.bottom;
    if (!plot.tilted_names) return draw_text(x, y + 19, "middle", name);
    return fmt::format("<text transform=\"translate({:.2f} {:.2f}) rotate(-30)\" class=\"end\">{}</text>\n",
                       x + 4, y + 14, xml_text(shorten(name, longest_tilted_name)));
}

std::string hint_text(const Bar& bar, const std::string& group, const std::string& series) {
    std::string hint = fmt::format("{}, {}: {:g}", group, series, bar.value);
    if (bar.half_interval > 0) hint += fmt::format(" ± {:g}", bar.half_interval);
    if (bar.published) hint += fmt::format(" (published: {:g})", *bar.published);
    return hint;
}

std::string draw_bar(const Plot& plot, const Bar& bar, double middle, double baseline,
                     const std::string& style, const std::string& hint) {
    const double end = plot.y(bar.value);
    const double start = plot.y(baseline);
    const double width = 0.9 * plot.bar_width;
    std::string svg = fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
        "class=\"{}\"><title>{}</title></rect>\n",
        middle - width / 2, std::min(start, end), width, std::abs(start - end), style, xml_text(hint));
    // Side by side, because the published value often lies within the interval.
    const double aside = bar.published ? plot.bar_width / 4 : 0.0;
    if (bar.half_interval > 0) {
        svg += draw_error_bar(middle - aside, plot.y(bar.value + bar.half_interval),
                              plot.y(bar.value - bar.half_interval), "error neutral");
    }
    if (bar.published) svg += draw_diamond(middle + aside, plot.y(*bar.published), 4, "published");
    return svg;
}

std::string draw_group(const Plot& plot, const GroupedBarChart& chart, std::size_t group) {
    const double left =
        plot.group_middle(group) - plot.bar_width * static_cast<double>(chart.series.size()) / 2;
    std::string svg;
    for (std::size_t number = 0; number < chart.series.size(); ++number) {
        const BarSeries& series = chart.series[number];
        const std::optional<Bar>& bar = series.bars[group];
        if (!bar) continue;
        svg +=
            draw_bar(plot, *bar, left + plot.bar_width * (static_cast<double>(number) + 0.5), chart.baseline,
                     series_style(number), hint_text(*bar, chart.groups[group], series.name));
    }
    return svg;
}

}  // namespace

std::string grouped_bar_chart_svg(const GroupedBarChart& chart) {
    check_chart(chart);
    const std::vector<LegendEntry> legend = make_legend(chart);
    const Plot plot = make_plot(chart, legend);
    std::string svg = draw_value_axis(plot.area, plot.axis, chart.y_label);
    for (std::size_t group = 0; group < chart.groups.size(); ++group)
        svg += draw_group(plot, chart, group) + draw_group_name(plot, chart.groups[group], group);
    svg += draw_line(plot.area.left, plot.y(chart.baseline), plot.area.right, plot.y(chart.baseline), "axis");
    return draw_chart(chart.title, svg + draw_legend(plot.area, legend));
}

}  // namespace hwgcn
