#pragma once

#include <string>
#include <vector>

namespace hwgcn {

struct LineSeries {
    std::string name;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> half_interval;  ///< per point, drawn as error bars; empty: none
};

/// A horizontal line across the chart.
struct ReferenceLine {
    std::string label;
    double y = 0;
};

struct LineChart {
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<LineSeries> series;  ///< points are joined in their order
    std::vector<ReferenceLine> reference_lines;
};

/// The chart as a self-contained SVG: the same bytes for the same input, readable on light and dark pages.
/// Throws InputError unless there are 1 to 14 series and reference lines, at least one of them a series,
/// every series has a point, its lists agree in length, and every number is finite and at most 1e12 in size.
std::string line_chart_svg(const LineChart& chart);

}  // namespace hwgcn
