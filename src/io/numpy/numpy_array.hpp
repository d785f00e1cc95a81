#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hwgcn {

/// A NumPy array as it lies in a file. Nothing is checked before one of the functions below is called.
struct NumpyArray {
    std::string dtype;                ///< byte order, kind and bytes per element: "<f4", "|b1", "<U12"
    std::vector<std::int64_t> shape;  ///< empty: a single element
    bool fortran_order = false;       ///< columns, not rows, one after the other
    std::string bytes;
};

// `where` starts every message: "cora.npz: array 'labels'".

/// The elements as T (std::int32_t, std::int64_t, float or double), row after row, from any plain numeric
/// type. A number that T cannot hold is refused, except that floating-point numbers are rounded.
template <typename T>
std::vector<T> to_vector(const NumpyArray& array, std::string_view where);

/// The elements of an array of text ('U') or bytes ('S'), in UTF-8 and as they are, respectively.
std::vector<std::string> to_strings(const NumpyArray& array, std::string_view where);

/// The number of elements: the product of the shape. Throws unless that many of them lie in `bytes`.
std::int64_t element_count(const NumpyArray& array, std::string_view where);

/// Throws unless the array has that many axes.
void expect_axes(const NumpyArray& array, std::size_t axes, std::string_view where);

/// The kind of element: 'b' boolean, 'i' and 'u' integers, 'f' floating point, 'U' text, 'S' bytes,
/// 'O' Python objects.
char element_kind(const NumpyArray& array, std::string_view where);

}  // namespace hwgcn
