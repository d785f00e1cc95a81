#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hwgcn {

struct Bar {
    double value = 0;
    double half_interval = 0;                        ///< drawn as an error bar; 0: none
    std::optional<double> published = std::nullopt;  ///< drawn as a diamond
};

struct BarSeries {
    std::string name;
    std::vector<std::optional<Bar>> bars;  ///< per group; nothing where there is no value
};

struct GroupedBarChart {
    std::string title;
    std::string y_label;
    std::vector<std::string> groups;
    std::vector<BarSeries> series;
    double baseline = 0;                        ///< where the bars begin
    std::string published_label = "published";  ///< of the diamonds, in the legend
};

/// The chart as a self-contained SVG: the same bytes for the same input, readable on light and dark pages.
/// Throws InputError unless there are 1 to 24 groups and 1 to 13 series, every series has a bar or a gap for
/// every group, and every number is finite and at most 1e12 in size.
std::string grouped_bar_chart_svg(const GroupedBarChart& chart);

}  // namespace hwgcn
