#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hwgcn::testing {

/// A part of a fuzzer's input that stands for one file among several.
struct Section {
    std::size_t file;  ///< which of the files
    std::string content;
};

/// Takes the next section off the front of `input`: a byte for the file, two for the length (little-endian),
/// the content. make_corpus.py writes the same.
inline std::optional<Section> take_section(std::string_view& input) {
    if (input.size() < 3) return std::nullopt;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
    const std::size_t length = std::min<std::size_t>(byte(1) | byte(2) << 8, input.size() - 3);
    Section section{byte(0), std::string(input.substr(3, length))};
    input.remove_prefix(3 + length);
    return section;
}

}  // namespace hwgcn::testing
