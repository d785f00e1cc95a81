#include "base/utf8.hpp"

#include <bit>

namespace hwgcn {

bool is_character(char32_t code) {
    return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
}

void append_utf8(std::string& text, char32_t code) {
    const auto add = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    const auto add_tail = [&](int shift) { add(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | (code >> 6));
        add_tail(0);
    } else if (code < 0x10000) {
        add(0xE0 | (code >> 12));
        add_tail(6);
        add_tail(0);
    } else {
        add(0xF0 | (code >> 18));
        add_tail(12);
        add_tail(6);
        add_tail(0);
    }
}

std::optional<Utf8Character> first_character(std::string_view text) {
    // A character of n bytes must not fit into fewer.
    constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (text.empty()) return std::nullopt;
    const auto first = static_cast<unsigned char>(text[0]);
    const int ones = std::countl_one(first);
    if (ones == 1 || ones > 4) return std::nullopt;
    const std::size_t size = ones == 0 ? 1 : static_cast<std::size_t>(ones);
    if (size > text.size()) return std::nullopt;
    char32_t code = ones == 0 ? first : first & (0x7F >> ones);
    for (std::size_t tail = 1; tail < size; ++tail) {
        const auto byte = static_cast<unsigned char>(text[tail]);
        if ((byte & 0xC0) != 0x80) return std::nullopt;
        code = code << 6 | (byte & 0x3F);
    }
    if (!is_character(code) || code < smallest[size]) return std::nullopt;
    return Utf8Character{code, size};
}

std::optional<std::u32string> decode_utf8(std::string_view text) {
    std::u32string characters;
    while (!text.empty()) {
        const std::optional<Utf8Character> character = first_character(text);
        if (!character) return std::nullopt;
        characters.push_back(character->code);
        text.remove_prefix(character->size);
    }
    return characters;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::optional<Utf8Character> character = first_character(text);
        if (!character) return false;
        text.remove_prefix(character->size);
    }
    return true;
}

}  // namespace hwgcn
