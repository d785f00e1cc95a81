#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hwgcn {

/// The number of characters of a text in UTF-8.
std::size_t character_count(std::string_view text);

/// At most `limit` characters of a text: where some had to go, the last one is "…".
std::string shorten(std::string_view text, std::size_t limit);

/// A text as it stands between two tags or in an attribute. What XML has no place for, such as control
/// characters and bytes that are not UTF-8, becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace hwgcn
