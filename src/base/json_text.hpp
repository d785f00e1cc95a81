#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace hwgcn {

/// What JSON from outside may hold: nothing that this program writes comes near. Deep values would exhaust
/// the stack where they are copied or written, and objects of many keys, which are kept in order, take
/// quadratic time.
inline constexpr int deepest_json = 64;
inline constexpr std::size_t most_json_keys = 10'000;

/// The value that `text` stands for. Throws InputError, naming `file`, where it is not JSON in UTF-8, goes
/// beyond the limits above, or gives a key twice.
nlohmann::ordered_json parse_json(const std::string& file, std::string_view text);

/// JSON for people and programs: indented by two blanks and ended by a line feed. Names from outside need not
/// be UTF-8, and may hold what commands a terminal: both are replaced by what is valid and harmless.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace hwgcn
