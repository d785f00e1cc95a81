#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace hwgcn {

/// The smallest interval that holds a number of values.
struct AxisRange {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -std::numeric_limits<double>::infinity();

    void include(double value);
};

/// The values along one side of a chart and the distance of its ticks.
struct ChartAxis {
    double lowest;
    double highest;
    double step;   ///< 1, 2 or 5 times a power of ten
    int decimals;  ///< of the text at a tick
};

struct AxisOptions {
    int most_steps = 6;
    double smallest_step = 0;
    double space_below = 0.05;  ///< as a share of the range
    double space_above = 0.05;
};

/// An axis for a range that is not empty. Values that are all the same get a range around them.
ChartAxis make_axis(AxisRange range, const AxisOptions& options);

std::vector<double> axis_ticks(const ChartAxis& axis);
std::string tick_text(const ChartAxis& axis, double tick);

/// The coordinate of a value when the axis reaches from `start` to `end`.
double coordinate(const ChartAxis& axis, double value, double start, double end);

/// Throws InputError, starting with `place`, for a number that cannot be drawn.
void check_number(double value, std::string_view place);

/// The same for the half width of an interval, which must not be negative either.
void check_half_interval(double value, std::string_view place);

}  // namespace hwgcn
