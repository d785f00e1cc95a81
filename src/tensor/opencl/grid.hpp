#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace hwgcn::opencl {

/// How many work items a kernel has, in one or two dimensions, and how many of them form a group.
struct Grid {
    std::array<std::size_t, 2> items;
    std::array<std::size_t, 2> group;
};

inline constexpr std::size_t group_items = 256;

/// The next multiple of `step`.
constexpr std::size_t rounded_up(std::size_t count, std::size_t step) {
    return (count + step - 1) / step * step;
}

/// One item per number of a list; those beyond it must do nothing.
constexpr Grid over_numbers(std::size_t count) {
    return {{rounded_up(std::max<std::size_t>(count, 1), group_items), 1}, {group_items, 1}};
}

/// One item per number of rows of `stride` floats, which is 8 or a multiple of 16. A group has whole rows, or
/// as much of one as it has items for. Items beyond the last row must do nothing.
constexpr Grid over_rows(std::size_t rows, std::size_t stride) {
    std::size_t wide = 64;
    while (stride % wide != 0)
        wide /= 2;
    const std::size_t high = group_items / wide;
    return {{stride, rounded_up(std::max<std::size_t>(rows, 1), high)}, {wide, high}};
}

/// One group of `size` items for each of `count` things.
constexpr Grid groups_of(std::size_t size, std::size_t count) {
    return {{size, std::max<std::size_t>(count, 1)}, {size, 1}};
}

}  // namespace hwgcn::opencl
