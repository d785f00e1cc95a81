#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/numpy/pickle_value.hpp"

namespace hwgcn {

/// Decodes a Python pickle of protocol 0 to 4 made of plain values, NumPy arrays and SciPy CSR matrices.
/// Nothing is executed: a file that names any other class or function is refused. `bytes` must outlive the
/// result; `file` is for messages.
PickleDocument decode_pickle(std::string_view bytes, std::string_view file);

/// The content of `value` as a T, one of the alternatives of PickleValue::content; otherwise InputError:
/// "ind.cora.x: byte 1042: expected a tuple, found an integer".
template <typename T>
const T& expect_pickled(const PickleValue& value, std::string_view file);

/// "an integer", "a list", ...: what a value is, for messages.
std::string_view pickled_kind(const PickleValue& value);

}  // namespace hwgcn
