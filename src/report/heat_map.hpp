#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hwgcn {

struct HeatCell {
    double value = 0;
    double half_interval = 0;  ///< printed as "± 0.4"; 0: none
};

/// Differences from zero over two quantities: what is gained is blue, what is lost orange.
struct HeatMap {
    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<std::string> columns;
    std::vector<std::string> rows;                            ///< from top to bottom
    std::vector<std::vector<std::optional<HeatCell>>> cells;  ///< per row and column; nothing: not measured
    double full_color = 0;  ///< values of this size or more have the full colour; 0: the largest one has
};

/// Whether the interval of a cell contains 0; false where it has none.
bool is_uncertain(const HeatCell& cell);

/// The map as a self-contained SVG with the value in every cell, in brackets where its interval contains 0:
/// the same bytes for the same input, readable on light and dark pages. Throws InputError unless there are 1
/// to 10 rows and columns, every row has a cell or a gap for every column, and every number is finite and at
/// most 1e12 in size.
std::string heat_map_svg(const HeatMap& map);

}  // namespace hwgcn
