#include "io/numpy/pickle_text.hpp"

#include <charconv>
#include <cstdint>

#include "base/utf8.hpp"

namespace hwgcn {
namespace {

// Exactly `digits` hexadecimal digits at the start of `text`.
std::optional<std::uint32_t> hexadecimal(std::string_view text, std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    std::uint32_t value = 0;
    const char* end = text.data() + digits;
    const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

// The byte that \n, \t and the like stand for.
std::optional<char> simple_escape(char letter) {
    constexpr std::string_view letters = "\\'\"abfnrtv";
    constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t found = letters.find(letter);
    return found == std::string_view::npos ? std::nullopt : std::optional(meanings[found]);
}

// The text between a pair of equal quotes.
std::optional<std::string_view> unquoted(std::string_view literal) {
    if (literal.size() < 2 || literal.front() != literal.back()) return std::nullopt;
    if (literal.front() != '\'' && literal.front() != '"') return std::nullopt;
    return literal.substr(1, literal.size() - 2);
}

}  // namespace

std::optional<std::string> decode_string_literal(std::string_view literal) {
    const std::optional<std::string_view> text = unquoted(literal);
    if (!text) return std::nullopt;
    std::string decoded;
    for (std::size_t i = 0; i < text->size(); ++i) {
        if ((*text)[i] != '\\') {
            decoded.push_back((*text)[i]);
            continue;
        }
        if (++i == text->size()) return std::nullopt;
        if ((*text)[i] == 'x') {
            const std::optional<std::uint32_t> byte = hexadecimal(text->substr(i + 1), 2);
            if (!byte) return std::nullopt;
            decoded.push_back(static_cast<char>(*byte));
            i += 2;
        } else if (const std::optional<char> byte = simple_escape((*text)[i])) {
            decoded.push_back(*byte);
        } else {
            return std::nullopt;
        }
    }
    return decoded;
}

std::optional<std::string> decode_raw_unicode(std::string_view escaped) {
    std::string decoded;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        const char next = i + 1 < escaped.size() ? escaped[i + 1] : '\0';
        if (escaped[i] != '\\' || (next != 'u' && next != 'U')) {
            append_utf8(decoded, static_cast<unsigned char>(escaped[i]));
            continue;
        }
        const std::size_t digits = next == 'u' ? 4 : 8;
        const std::optional<std::uint32_t> code = hexadecimal(escaped.substr(i + 2), digits);
        if (!code || !is_character(*code)) return std::nullopt;
        append_utf8(decoded, *code);
        i += 1 + digits;
    }
    return decoded;
}

std::optional<std::string> latin1_from_utf8(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto first = static_cast<unsigned char>(text[i]);
        if (first < 0x80) {
            bytes.push_back(text[i]);
            continue;
        }
        // U+0080 to U+00FF take two bytes that start with C2 or C3.
        if ((first != 0xC2 && first != 0xC3) || ++i == text.size()) return std::nullopt;
        const auto second = static_cast<unsigned char>(text[i]);
        if ((second & 0xC0) != 0x80) return std::nullopt;
        bytes.push_back(static_cast<char>((first & 0x03) << 6 | (second & 0x3F)));
    }
    return bytes;
}

}  // namespace hwgcn
