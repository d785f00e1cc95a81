#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/numpy/numpy_array.hpp"

namespace hwgcn {

/// Longest header that is read; NumPy's own limit.
inline constexpr std::size_t max_npy_header_bytes = 10'000;

/// The start of a `.npy` file: what the array is (without its bytes) and where its bytes begin.
struct NpyHeader {
    NumpyArray array;
    std::size_t size = 0;
};
NpyHeader parse_npy_header(std::string_view bytes, std::string_view where);

/// The header that goes before the bytes of an array in rows.
std::string format_npy_header(std::string_view dtype, const std::vector<std::int64_t>& shape);

}  // namespace hwgcn
