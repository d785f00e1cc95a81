#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hwgcn/base/error.hpp"

namespace hwgcn {

/// Bad input at a place that a person can go to: "cora.csv:17: message".
[[noreturn]] void fail_at_line(std::string_view file, std::int64_t line, std::string_view message);

/// Bad input in a binary file: "ind.cora.x: byte 1042: message".
[[noreturn]] void fail_at_byte(std::string_view file, std::int64_t byte, std::string_view message);

/// Bad input that concerns the file as a whole: "cora.npz: message".
[[noreturn]] void fail_in_file(std::string_view file, std::string_view message);

/// The candidate closest to `word` in edit distance, or "" when none is close enough to suggest.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// An unknown name: says what was expected and suggests the nearest valid one.
/// `what` is the kind of thing, for example "dataset" or "weighting".
[[noreturn]] void fail_unknown_name(std::string_view what, std::string_view word,
                                    std::span<const std::string> candidates);

}  // namespace hwgcn
