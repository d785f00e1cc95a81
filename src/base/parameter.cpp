#include "base/parameter.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <fmt/format.h>

namespace hwgcn {
namespace {

template <typename Number>
std::optional<Number> parse_as(std::string_view text) {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

}  // namespace

template <typename Number>
std::optional<Number> parse_value(std::string_view text) {
    const std::optional<Number> value = parse_as<Number>(text);
    if constexpr (std::is_integral_v<Number>) {
        if (value) return value;
        // 1e6 is a whole number too; up to 2^53, or the limit of the type, a double holds it exactly.
        constexpr double exact = 0x1p53;
        const std::optional<double> real = parse_as<double>(text);
        if (!real || *real != std::floor(*real)) return std::nullopt;
        const double lowest = std::max(-exact, static_cast<double>(std::numeric_limits<Number>::min()));
        const double highest = std::min(exact, static_cast<double>(std::numeric_limits<Number>::max()));
        if (*real < lowest || *real > highest) return std::nullopt;
        return static_cast<Number>(*real);
    }
    return value;
}

template <typename Number>
std::string value_text(Number value) {
    return fmt::to_string(value);
}

template <typename Number>
std::string describe(const Range<Number>& range) {
    const char* const kind = std::is_integral_v<Number> ? "whole number" : "number";
    const bool bounded = range.highest != std::numeric_limits<Number>::max();
    if (!range.lowest_excluded && bounded)
        return fmt::format("a {} in {}..{}", kind, range.lowest, range.highest);
    return fmt::format("a {} {} {}{}", kind, range.lowest_excluded ? "above" : "of at least", range.lowest,
                       bounded ? fmt::format(" and up to {}", range.highest) : "");
}

std::string join_alternatives(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

std::vector<std::string> split_at(std::string_view text, char separator) {
    std::vector<std::string> fields;
    if (text.empty()) return fields;
    for (std::size_t end; (end = text.find(separator)) != std::string_view::npos; text.remove_prefix(end + 1))
        fields.emplace_back(text.substr(0, end));
    fields.emplace_back(text);
    return fields;
}

#define HWGCN_NUMBER(Number)                                              \
    template std::optional<Number> parse_value<Number>(std::string_view); \
    template std::string value_text<Number>(Number);                      \
    template std::string describe<Number>(const Range<Number>&);
HWGCN_NUMBER(int)
HWGCN_NUMBER(std::int64_t)
HWGCN_NUMBER(std::uint64_t)
HWGCN_NUMBER(double)
#undef HWGCN_NUMBER

}  // namespace hwgcn
