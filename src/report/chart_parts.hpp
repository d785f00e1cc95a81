#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "report/chart_axis.hpp"

namespace hwgcn {

// What charts are made of: each function returns a piece of SVG.

inline constexpr double chart_width = 720;
inline constexpr double chart_height = 440;
inline constexpr std::size_t most_legend_entries = 14;

/// The rectangle in which the data is drawn; y grows downwards.
struct PlotArea {
    double left;
    double top;
    double right;
    double bottom;
};

struct LegendEntry {
    std::string name;
    std::string symbol;  ///< drawn around the origin, 24 wide
};

/// About as wide as a text of so many characters gets.
double text_width(std::size_t characters);

/// The room left by the title, the texts of the value axis, the legend and `space_below`.
PlotArea make_plot_area(const ChartAxis& value_axis, std::span<const LegendEntry> legend, double space_below);

/// A whole chart: the frame around `content`.
std::string draw_chart(std::string_view title, std::string_view content);

/// Grid lines with their values, and the name of the values along the left side.
std::string draw_value_axis(const PlotArea& area, const ChartAxis& axis, std::string_view label);

/// On the right of the plot, never on top of the data.
std::string draw_legend(const PlotArea& area, std::span<const LegendEntry> legend);

/// `style` is a class of the style sheet, or several.
std::string draw_text(double x, double y, std::string_view style, std::string_view text);
std::string draw_line(double x1, double y1, double x2, double y2, std::string_view style);
std::string draw_error_bar(double x, double top, double bottom, std::string_view style);
std::string draw_diamond(double x, double y, double radius, std::string_view style);

/// The marker of a series; with a hint that shows when pointed at, unless it is empty.
std::string draw_marker(std::size_t series, double x, double y, std::string_view hint = "");

/// The classes that set off one series from the others: seven colours, then the same ones hollow and dashed.
std::string series_style(std::size_t series);

}  // namespace hwgcn
