#pragma once

#include <string>
#include <string_view>

namespace hwgcn {

/// Text from outside as it may stand in a message or on a terminal: on one line, in valid UTF-8, and without
/// anything that commands the terminal or hides or reorders letters. Such characters are written as \n, \x1b
/// or \u202e, bytes that are not UTF-8 as \xff. What is safe stays as it is, so that doing it twice changes
/// nothing. A text of more than `longest` characters is cut short and ends in "...".
std::string safe_text(std::string_view text, std::size_t longest = std::string_view::npos);

/// The same for JSON that is written out already: its line ends stay, and the text means what it did.
std::string safe_json(std::string_view json);

}  // namespace hwgcn
