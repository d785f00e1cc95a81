#include "report/text.hpp"

#include <algorithm>
#include <optional>

#include "base/utf8.hpp"

namespace hwgcn {
namespace {

constexpr char32_t replacement_character = U'\uFFFD';

bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

// The characters of XML 1.0.
bool is_xml_character(char32_t code) {
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return is_character(code) && code != 0xFFFE && code != 0xFFFF;
}

void append_xml(std::string& text, char32_t code) {
    switch (code) {
        case '&':
            text += "&amp;";
            break;
        case '<':
            text += "&lt;";
            break;
        case '>':
            text += "&gt;";
            break;
        case '"':
            text += "&quot;";
            break;
        case '\'':
            text += "&#39;";
            break;
        default:
            append_utf8(text, is_xml_character(code) ? code : replacement_character);
    }
}

}  // namespace

std::size_t character_count(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
}

std::string shorten(std::string_view text, std::size_t limit) {
    if (character_count(text) <= limit) return std::string(text);
    std::size_t characters = 0;
    const auto end = std::ranges::find_if(
        text, [&](char byte) { return !continues_character(byte) && ++characters == limit; });
    return std::string(text.begin(), end) + "…";
}

std::string xml_text(std::string_view text) {
    std::string escaped;
    if (const std::optional<std::u32string> characters = decode_utf8(text)) {
        for (const char32_t code : *characters)
            append_xml(escaped, code);
        return escaped;
    }
    for (const char byte : text) {
        const auto code = static_cast<unsigned char>(byte);
        append_xml(escaped, code < 0x80 ? code : replacement_character);
    }
    return escaped;
}

}  // namespace hwgcn
