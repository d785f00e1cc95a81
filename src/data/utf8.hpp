#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hwgcn {

/// Whether a number stands for a character: in range and not half of a surrogate pair.
bool is_character(char32_t code);

/// Appends one character in UTF-8.
void append_utf8(std::string& text, char32_t code);

/// The characters of a text in UTF-8; nothing where it is not valid.
std::optional<std::u32string> decode_utf8(std::string_view text);

}  // namespace hwgcn
