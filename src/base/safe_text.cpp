#include "base/safe_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace hwgcn {
namespace {

// Controls of the terminal (C0, DEL and C1), letters without a width that hide in names, line ends, and what
// turns the direction of writing ("Trojan source").
bool is_unsafe(char32_t code) {
    constexpr std::array<std::pair<char32_t, char32_t>, 9> ranges = {{{0x00, 0x1F},
                                                                      {0x7F, 0x9F},
                                                                      {0x061C, 0x061C},
                                                                      {0x200B, 0x200B},
                                                                      {0x200E, 0x200F},
                                                                      {0x2028, 0x202E},
                                                                      {0x2060, 0x206F},
                                                                      {0xFEFF, 0xFEFF},
                                                                      {0xFFF9, 0xFFFB}}};
    return std::ranges::any_of(
        ranges, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

void append_escaped(std::string& text, char32_t code) {
    switch (code) {
        case '\n':
            text += "\\n";
            break;
        case '\r':
            text += "\\r";
            break;
        case '\t':
            text += "\\t";
            break;
        default:
            text += code < 0x80 ? fmt::format("\\x{:02x}", static_cast<std::uint32_t>(code))
                                : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    }
}

}  // namespace

std::string safe_text(std::string_view text, std::size_t longest) {
    std::string result;
    for (std::size_t characters = 0; !text.empty(); ++characters) {
        if (characters == longest) return result + "...";
        const std::optional<Utf8Character> character = first_character(text);
        if (!character) {
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", static_cast<unsigned char>(text[0]));
        } else if (is_unsafe(character->code)) {
            append_escaped(result, character->code);
        } else {
            result += text.substr(0, character->size);
        }
        text.remove_prefix(character ? character->size : 1);
    }
    return result;
}

std::string safe_json(std::string_view json) {
    std::string result;
    result.reserve(json.size());
    while (!json.empty()) {
        const std::optional<Utf8Character> character = first_character(json);
        const std::size_t size = character ? character->size : 1;
        // Within strings, which is the only place for them; the writer has escaped what is below a blank.
        if (character && character->code >= 0x7F && is_unsafe(character->code)) {
            fmt::format_to(std::back_inserter(result), "\\u{:04x}",
                           static_cast<std::uint32_t>(character->code));
        } else {
            result += json.substr(0, size);
        }
        json.remove_prefix(size);
    }
    return result;
}

}  // namespace hwgcn
