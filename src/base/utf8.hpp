#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hwgcn {

/// Whether a number stands for a character: in range and not half of a surrogate pair.
bool is_character(char32_t code);

/// Appends one character in UTF-8.
void append_utf8(std::string& text, char32_t code);

struct Utf8Character {
    char32_t code = 0;
    std::size_t size = 0;  ///< in bytes
};

/// The character that a text begins with; nothing where it is empty or its first bytes are not UTF-8.
std::optional<Utf8Character> first_character(std::string_view text);

/// The characters of a text in UTF-8; nothing where it is not valid.
std::optional<std::u32string> decode_utf8(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace hwgcn
