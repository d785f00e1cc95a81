#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hwgcn {

/// The bytes of a Python 2 string literal such as 'a\x00b', quotes included; nothing where it is malformed.
std::optional<std::string> decode_string_literal(std::string_view literal);

/// UTF-8 of the raw-unicode-escape of Python: Latin-1 with escapes of four or eight hexadecimal digits.
std::optional<std::string> decode_raw_unicode(std::string_view escaped);

/// The Latin-1 bytes of a text in UTF-8; nothing where a character is beyond U+00FF.
std::optional<std::string> latin1_from_utf8(std::string_view text);

}  // namespace hwgcn
