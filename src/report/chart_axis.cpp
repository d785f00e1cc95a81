#include "report/chart_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {
namespace {

// Larger numbers do not fit next to an axis, smaller differences not into the numbers there.
constexpr double largest_size = 1e12;
constexpr double smallest_span = 1e-9;

double tick_step(double span, int most_steps) {
    const double power = std::pow(10.0, std::floor(std::log10(span / most_steps)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power * most_steps >= span) return factor * power;
    }
    return 10.0 * power;
}

// The small term makes up for a logarithm that is not quite the whole number it should be.
int decimals_of(double step) {
    return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
}

void widen_if_too_narrow(AxisRange& range) {
    const double size = std::max(std::abs(range.lowest), std::abs(range.highest));
    if (range.highest - range.lowest > smallest_span * std::max(1.0, size)) return;
    const double margin = size > 1e-6 ? 0.05 * size : 1.0;
    range.lowest -= margin;
    range.highest += margin;
}

}  // namespace

void AxisRange::include(double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
}

ChartAxis make_axis(AxisRange range, const AxisOptions& options) {
    widen_if_too_narrow(range);
    const double span = range.highest - range.lowest;
    range.lowest -= options.space_below * span;
    range.highest += options.space_above * span;
    const double step =
        std::max(options.smallest_step, tick_step(range.highest - range.lowest, options.most_steps));
    return {.lowest = range.lowest, .highest = range.highest, .step = step, .decimals = decimals_of(step)};
}

std::vector<double> axis_ticks(const ChartAxis& axis) {
    // A tick at the very end of the axis must not get lost to rounding.
    const auto first = static_cast<std::int64_t>(std::ceil(axis.lowest / axis.step - 1e-6));
    const auto last = static_cast<std::int64_t>(std::floor(axis.highest / axis.step + 1e-6));
    std::vector<double> ticks;
    for (std::int64_t number = first; number <= last; ++number)
        ticks.push_back(static_cast<double>(number) * axis.step);
    return ticks;
}

std::string tick_text(const ChartAxis& axis, double tick) {
    return fmt::format("{:.{}f}", tick, axis.decimals);
}

double coordinate(const ChartAxis& axis, double value, double start, double end) {
    return start + (value - axis.lowest) / (axis.highest - axis.lowest) * (end - start);
}

void check_number(double value, std::string_view place) {
    if (!(std::abs(value) <= largest_size)) {  // refuses NaN, too
        throw InputError(fmt::format("{}: expected a finite number of at most {:g} in size, got {}", place,
                                     largest_size, value));
    }
}

void check_half_interval(double value, std::string_view place) {
    check_number(value, place);
    if (value < 0)
        throw InputError(fmt::format("{}: expected an interval of at least 0, got {}", place, value));
}

}  // namespace hwgcn
