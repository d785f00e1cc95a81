#include "report/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "report/chart_axis.hpp"
#include "report/chart_parts.hpp"
#include "report/text.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t most_lines = 10;  // two rows of text must fit into a cell
constexpr std::size_t longest_row_name = 12;
constexpr std::size_t longest_column_name = 12;
constexpr std::size_t longest_label = 48;
constexpr double space_below = 56;
constexpr double label_width = 44;

// The colour lies on the background of the page with at most this opacity: text in the colour of the
// page's text is readable on it, on light pages and on dark ones.
constexpr double full_opacity = 0.6;

void check_count(std::size_t count, std::string_view what, const std::string& place) {
    if (count < 1 || count > most_lines)
        throw InputError(fmt::format("{}: expected 1 to {} {}, got {}", place, most_lines, what, count));
}

void check_map(const HeatMap& map) {
    const std::string place = fmt::format("heat map '{}'", map.title);
    check_count(map.columns.size(), "columns", place);
    check_count(map.rows.size(), "rows", place);
    check_number(map.full_color, place + ", full colour");
    if (map.full_color < 0)
        throw InputError(
            fmt::format("{}: expected a full colour of at least 0, got {}", place, map.full_color));
    if (map.cells.size() != map.rows.size()) {
        throw InputError(
            fmt::format("{}: expected {} rows of cells, got {}", place, map.rows.size(), map.cells.size()));
    }
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
        const std::string row_place = fmt::format("{}, row '{}'", place, map.rows[row]);
        if (map.cells[row].size() != map.columns.size()) {
            throw InputError(fmt::format("{}: expected {} cells, got {}", row_place, map.columns.size(),
                                         map.cells[row].size()));
        }
        for (std::size_t column = 0; column < map.columns.size(); ++column) {
            const std::optional<HeatCell>& cell = map.cells[row][column];
            if (!cell) continue;
            const std::string cell_place = fmt::format("{}, column '{}'", row_place, map.columns[column]);
            check_number(cell->value, cell_place);
            check_half_interval(cell->half_interval, cell_place);
        }
    }
}

// The size of a value that has the full colour; 1 where all are zero.
double full_size(const HeatMap& map) {
    if (map.full_color > 0) return map.full_color;
    double largest = 0;
    for (const auto& row : map.cells) {
        for (const std::optional<HeatCell>& cell : row)
            largest = std::max(largest, cell ? std::abs(cell->value) : 0.0);
    }
    return largest > 0 ? largest : 1.0;
}

std::string draw_tile(double x, double y, double width, double height, double share,
                      std::string_view hint = "") {
    const double opacity = full_opacity * std::min(1.0, std::abs(share));
    const std::string title = hint.empty() ? "" : fmt::format("<title>{}</title>", xml_text(hint));
    return fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" opacity=\"{:.3f}\" "
        "class=\"{}\">{}</rect>\n",
        x, y, width, height, opacity, series_style(share < 0 ? 1 : 0), title);
}

// "+1.2", never "-0.0"; as many decimals as the scale needs.
std::string signed_text(double value, double full) {
    const int decimals = full < 1 ? 2 : 1;
    const double rounding = std::pow(10.0, decimals);
    const double rounded = std::round(value * rounding) / rounding;
    return rounded == 0 ? fmt::format("{:.{}f}", 0.0, decimals) : fmt::format("{:+.{}f}", rounded, decimals);
}

std::vector<LegendEntry> make_legend(const HeatMap& map, double full) {
    std::vector<LegendEntry> legend;
    for (const double share : {1.0, 0.5, 0.0, -0.5, -1.0})
        legend.push_back({signed_text(share * full, full), draw_tile(-8, -6, 16, 12, share)});
    const bool any_uncertain = std::ranges::any_of(map.cells, [](const auto& row) {
        return std::ranges::any_of(row, [](const auto& cell) { return cell && is_uncertain(*cell); });
    });
    if (any_uncertain) legend.push_back({"interval holds 0", draw_text(0, 4, "middle", "( )")});
    return legend;
}

/// A map that is being drawn.
struct HeatPlot {
    PlotArea area;
    double width;   // of a cell
    double height;  // of a cell
    double full;

    double left(std::size_t column) const { return area.left + width * static_cast<double>(column); }
    double top(std::size_t row) const { return area.top + height * static_cast<double>(row); }
};

HeatPlot make_plot(const HeatMap& map, const std::vector<LegendEntry>& legend, double full) {
    constexpr ChartAxis no_values{0, 1, 1, 0};
    PlotArea area = make_plot_area(no_values, legend, space_below);
    std::size_t longest = 1;
    for (const std::string& name : map.rows)
        longest = std::max(longest, std::min(character_count(name), longest_row_name));
    area.left = label_width + text_width(longest);
    return {area, (area.right - area.left) / static_cast<double>(map.columns.size()),
            (area.bottom - area.top) / static_cast<double>(map.rows.size()), full};
}

std::string hint_text(const HeatMap& map, std::size_t row, std::size_t column, const HeatCell& cell) {
    std::string hint = fmt::format("{} {}, {} {}: {:+g}", map.y_label, map.rows[row], map.x_label,
                                   map.columns[column], cell.value);
    if (cell.half_interval > 0) hint += fmt::format(" ± {:g}", cell.half_interval);
    return hint;
}

std::string draw_cell(const HeatMap& map, const HeatPlot& plot, std::size_t row, std::size_t column) {
    const std::optional<HeatCell>& cell = map.cells[row][column];
    const double middle = plot.left(column) + plot.width / 2;
    const double y = plot.top(row) + plot.height / 2;
    if (!cell) return draw_text(middle, y + 4, "middle", "–");
    constexpr double gap = 1;
    std::string svg =
        draw_tile(plot.left(column) + gap, plot.top(row) + gap, plot.width - 2 * gap, plot.height - 2 * gap,
                  cell->value / plot.full, hint_text(map, row, column, *cell));
    const std::string value = signed_text(cell->value, plot.full);
    const bool has_interval = cell->half_interval > 0;
    svg += draw_text(middle, y + (has_interval ? -3 : 4), "middle",
                     is_uncertain(*cell) ? fmt::format("({})", value) : value);
    if (has_interval) {
        svg += draw_text(middle, y + 12, "middle",
                         fmt::format("± {:.{}f}", cell->half_interval, plot.full < 1 ? 2 : 1));
    }
    return svg;
}

std::string draw_names(const HeatMap& map, const HeatPlot& plot) {
    std::string svg;
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
        svg += draw_text(plot.area.left - 8, plot.top(row) + plot.height / 2 + 4, "end",
                         shorten(map.rows[row], longest_row_name));
    }
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
        svg += draw_text(plot.left(column) + plot.width / 2, plot.area.bottom + 18, "middle",
                         shorten(map.columns[column], longest_column_name));
    }
    svg += draw_text((plot.area.left + plot.area.right) / 2, plot.area.bottom + 42, "middle",
                     shorten(map.x_label, longest_label));
    return svg +
           fmt::format("<text transform=\"translate(20 {:.2f}) rotate(-90)\" class=\"middle\">{}</text>\n",
                       (plot.area.top + plot.area.bottom) / 2, xml_text(shorten(map.y_label, longest_label)));
}

}  // namespace

bool is_uncertain(const HeatCell& cell) {
    return cell.half_interval > 0 && std::abs(cell.value) <= cell.half_interval;
}

std::string heat_map_svg(const HeatMap& map) {
    check_map(map);
    const double full = full_size(map);
    const std::vector<LegendEntry> legend = make_legend(map, full);
    const HeatPlot plot = make_plot(map, legend, full);
    std::string svg = draw_names(map, plot);
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
        for (std::size_t column = 0; column < map.columns.size(); ++column)
            svg += draw_cell(map, plot, row, column);
    }
    return draw_chart(map.title, svg + draw_legend(plot.area, legend));
}

}  // namespace hwgcn
