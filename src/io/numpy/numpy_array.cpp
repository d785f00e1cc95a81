#include "io/numpy/numpy_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "base/utf8.hpp"

namespace hwgcn {
namespace {

struct ElementType {
    bool swapped = false;  // the byte order is not this machine's
    char kind = 0;
    std::int64_t bytes = 0;
};

constexpr std::int64_t bytes_per_character = 4;  // 'U' counts characters, stored in UTF-32

ElementType parse_dtype(std::string_view dtype, std::string_view where) {
    ElementType type;
    const bool ordered = !dtype.empty() && std::string_view("<>|=").find(dtype[0]) != std::string_view::npos;
    const char order = ordered ? dtype[0] : '=';
    const std::string_view rest = dtype.substr(ordered ? 1 : 0);
    const auto refuse = [&] {
        fail_in_file(where,
                     fmt::format("elements of type '{}', expected plain numbers or text", excerpt(dtype)));
    };
    if (rest.empty() || std::string_view("biufUSO").find(rest[0]) == std::string_view::npos) refuse();
    type.kind = rest[0];
    const std::string_view digits = rest.substr(1);
    if (type.kind == 'O' && digits.empty()) return type;

    // No element is empty, so that the bytes bound the number of elements.
    const std::int64_t size = parse_number<std::int32_t>(digits).value_or(0);
    if (size <= 0) refuse();
    type.bytes = type.kind == 'U' ? size * bytes_per_character : size;
    constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
    type.swapped = order == foreign;
    return type;
}

template <typename Source>
Source load(const char* from, bool swapped) {
    char raw[sizeof(Source)];
    std::memcpy(raw, from, sizeof raw);
    if (swapped) std::reverse(std::begin(raw), std::end(raw));
    Source value;
    std::memcpy(&value, raw, sizeof value);
    return value;
}

template <typename Target, typename Source>
bool fits(Source value) {
    if constexpr (std::is_floating_point_v<Target>) {
        return true;
    } else if constexpr (std::is_floating_point_v<Source>) {
        constexpr auto limit = static_cast<Source>(0x1.0p63);
        return value == std::trunc(value) && value >= -limit && value < limit &&
               std::in_range<Target>(static_cast<std::int64_t>(value));
    } else {
        return std::in_range<Target>(value);
    }
}

template <typename Target, typename Source>
std::vector<Target> convert(const NumpyArray& array, bool swapped, std::string_view where) {
    std::vector<Target> result(array.bytes.size() / sizeof(Source));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto value = load<Source>(array.bytes.data() + i * sizeof(Source), swapped);
        if (!fits<Target>(value)) {
            fail_in_file(where, fmt::format("element {} is {}, expected a whole number of at most {} bits", i,
                                            value, 8 * sizeof(Target)));
        }
        result[i] = static_cast<Target>(value);
    }
    return result;
}

template <typename Target>
std::vector<Target> convert_any(const NumpyArray& array, const ElementType& type, std::string_view where) {
    const auto is = [&](char kind, std::size_t bytes) {
        return type.kind == kind && type.bytes == static_cast<std::int64_t>(bytes);
    };
    const bool swapped = type.swapped;
    if (is('f', 4)) return convert<Target, float>(array, swapped, where);
    if (is('f', 8)) return convert<Target, double>(array, swapped, where);
    if (is('i', 1)) return convert<Target, std::int8_t>(array, swapped, where);
    if (is('i', 2)) return convert<Target, std::int16_t>(array, swapped, where);
    if (is('i', 4)) return convert<Target, std::int32_t>(array, swapped, where);
    if (is('i', 8)) return convert<Target, std::int64_t>(array, swapped, where);
    if (is('b', 1) || is('u', 1)) return convert<Target, std::uint8_t>(array, swapped, where);
    if (is('u', 2)) return convert<Target, std::uint16_t>(array, swapped, where);
    if (is('u', 4)) return convert<Target, std::uint32_t>(array, swapped, where);
    if (is('u', 8)) return convert<Target, std::uint64_t>(array, swapped, where);
    fail_in_file(where, fmt::format("elements of type '{}', expected numbers of 1, 2, 4 or 8 bytes "
                                    "(floating point: 4 or 8)",
                                    array.dtype));
}

// Columns one after the other become rows one after the other.
template <typename T>
std::vector<T> transposed(const std::vector<T>& values, std::int64_t rows, std::int64_t columns) {
    std::vector<T> result(values.size());
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j)
            result[i * columns + j] = values[j * rows + i];
    }
    return result;
}

std::string text_element(std::string_view bytes, bool swapped, std::string_view where) {
    std::string text;
    for (std::size_t i = 0; i + bytes_per_character <= bytes.size(); i += bytes_per_character) {
        const auto code = static_cast<char32_t>(load<std::uint32_t>(bytes.data() + i, swapped));
        if (!is_character(code)) {
            fail_in_file(where, fmt::format("text holds the number {:#x}, which is not a character",
                                            static_cast<std::uint32_t>(code)));
        }
        append_utf8(text, code);
    }
    return text;
}

// NumPy fills the rest of a text element with zeros.
std::string without_padding(std::string text) {
    text.erase(text.find_last_not_of('\0') + 1);
    return text;
}

}  // namespace

std::int64_t element_count(const NumpyArray& array, std::string_view where) {
    const ElementType type = parse_dtype(array.dtype, where);
    if (type.kind == 'O') fail_in_file(where, "holds pickled Python objects, expected plain numbers or text");
    const auto refuse = [&] {
        fail_in_file(where, fmt::format("{} bytes for the shape ({}) of '{}'", array.bytes.size(),
                                        fmt::join(array.shape, ", "), array.dtype));
    };
    // A zero anywhere makes the array empty, however absurd its other axes are.
    const bool empty = std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end();
    std::int64_t count = empty ? 0 : 1;
    std::int64_t bytes = empty ? 0 : type.bytes;
    for (const std::int64_t axis : array.shape) {
        if (axis < 0 || __builtin_mul_overflow(bytes, axis, &bytes)) refuse();
        count *= axis;  // never more than `bytes`
    }
    if (static_cast<std::uint64_t>(bytes) != array.bytes.size()) refuse();
    return count;
}

template <typename T>
std::vector<T> to_vector(const NumpyArray& array, std::string_view where) {
    element_count(array, where);
    std::vector<T> values = convert_any<T>(array, parse_dtype(array.dtype, where), where);
    if (!array.fortran_order || array.shape.size() < 2) return values;
    expect_axes(array, 2, where);
    return transposed(values, array.shape[0], array.shape[1]);
}

template std::vector<std::int32_t> to_vector(const NumpyArray&, std::string_view);
template std::vector<std::int64_t> to_vector(const NumpyArray&, std::string_view);
template std::vector<float> to_vector(const NumpyArray&, std::string_view);
template std::vector<double> to_vector(const NumpyArray&, std::string_view);

std::vector<std::string> to_strings(const NumpyArray& array, std::string_view where) {
    const std::int64_t count = element_count(array, where);
    const ElementType type = parse_dtype(array.dtype, where);
    if (type.kind != 'U' && type.kind != 'S') {
        fail_in_file(where, fmt::format("elements of type '{}', expected text", array.dtype));
    }
    if (array.fortran_order && array.shape.size() > 1) fail_in_file(where, "expected text in rows");
    std::vector<std::string> result(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto size = static_cast<std::size_t>(type.bytes);
        const auto bytes = std::string_view(array.bytes).substr(i * size, size);
        result[i] =
            without_padding(type.kind == 'U' ? text_element(bytes, type.swapped, where) : std::string(bytes));
    }
    return result;
}

void expect_axes(const NumpyArray& array, std::size_t axes, std::string_view where) {
    if (array.shape.size() != axes) {
        fail_in_file(where, fmt::format("has the shape ({}), expected {} {}", fmt::join(array.shape, ", "),
                                        axes, axes == 1 ? "axis" : "axes"));
    }
}

char element_kind(const NumpyArray& array, std::string_view where) {
    return parse_dtype(array.dtype, where).kind;
}

}  // namespace hwgcn
