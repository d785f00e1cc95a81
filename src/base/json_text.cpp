#include "base/json_text.hpp"

#include <cstdint>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fail.hpp"
#include "base/safe_text.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;
using Event = Json::parse_event_t;

// "[json.exception.parse_error.101] parse error at line 1, column 2: what is wrong": only the last part.
std::string reason_of(const Json::exception& failure) {
    const std::string_view text = failure.what();
    const std::size_t place = text.find("column ");
    const std::size_t colon = text.find(": ", place == std::string_view::npos ? 0 : place);
    return std::string(colon == std::string_view::npos ? text : text.substr(colon + 2));
}

// Looks at the value while it is parsed, and stops it in time.
class Limits {
  public:
    explicit Limits(const std::string& file) : file_(file) {}

    void check(int open, Event event, const Json& value) {
        const bool starts = event == Event::object_start || event == Event::array_start;
        if (starts && open >= deepest_json)
            fail_in_file(file_,
                         fmt::format("is nested deeper than the {} levels that are accepted", deepest_json));
        if (event == Event::object_start) keys_.emplace_back();
        if (event == Event::object_end) keys_.pop_back();
        if (event == Event::key) check_key(value.get_ref<const std::string&>());
    }

  private:
    // The parser would quietly forget the first of two values.
    void check_key(const std::string& key) {
        if (!keys_.back().insert(key).second)
            fail_in_file(file_, fmt::format("the key \"{}\" is given twice", safe_text(key, 60)));
        if (keys_.back().size() > most_json_keys)
            fail_in_file(
                file_, fmt::format("an object has more than the {} keys that are accepted", most_json_keys));
    }

    const std::string& file_;
    std::vector<std::unordered_set<std::string>> keys_;  // of the objects that are open
};

}  // namespace

nlohmann::ordered_json parse_json(const std::string& file, std::string_view text) {
    Limits limits(file);
    const auto check = [&](int open, Event event, const Json& value) {
        limits.check(open, event, value);
        return true;
    };
    try {
        return Json::parse(text, check);
    } catch (const Json::parse_error& failure) {
        // The parser counts from 1.
        fail_at_byte(file, static_cast<std::int64_t>(failure.byte) - 1,
                     fmt::format("not valid JSON: {}", safe_text(reason_of(failure), 200)));
    } catch (const Json::exception& failure) {
        fail_in_file(file, fmt::format("not valid JSON: {}", safe_text(reason_of(failure), 200)));
    }
}

std::string json_text(const nlohmann::ordered_json& json) {
    return safe_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

}  // namespace hwgcn
