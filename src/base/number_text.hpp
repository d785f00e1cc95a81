#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

#include <fast_float/fast_float.h>

namespace hwgcn {

/// The number that the whole of `text` stands for, or nothing. Reals may come out infinite or NaN.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    if constexpr (std::is_integral_v<Number>) {
        const auto [stop, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc() || stop != end) return std::nullopt;
    } else {
        const auto [stop, error] = fast_float::from_chars(text.data(), end, number);
        // Out of range is told by the value, infinite or zero, whatever the version of fast_float reports.
        const bool understood = error == std::errc() || error == std::errc::result_out_of_range;
        if (!understood || stop != end) return std::nullopt;
    }
    return number;
}

}  // namespace hwgcn
