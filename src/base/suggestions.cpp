#include "base/suggestions.hpp"

#include <algorithm>

#include "base/fail.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t handful = 5;
constexpr std::size_t shortest_fragment = 4;  // fewer letters are in too many names
constexpr std::string_view separators = "_-";

bool contains(std::string_view name, std::string_view fragment) {
    return fragment.size() >= shortest_fragment && name.find(fragment) != std::string_view::npos;
}

// Whether `part` is one or more whole words of `name`.
bool has_words(std::string_view name, std::string_view part) {
    const std::size_t start = name.find(part);
    if (part.empty() || start == std::string_view::npos) return false;
    const auto ends_at = [&](std::size_t place) { return separators.find(name[place]) != separators.npos; };
    const std::size_t end = start + part.size();
    return (start == 0 || ends_at(start - 1)) && (end == name.size() || ends_at(end));
}

}  // namespace

std::vector<std::string> likely_names(std::string_view word, std::span<const std::string> candidates) {
    std::vector<std::string> likely;
    const auto add = [&](const std::string& name) {
        const bool is_new = std::ranges::find(likely, name) == likely.end();
        if (!name.empty() && is_new && likely.size() < handful) likely.push_back(name);
    };
    const auto add_all = [&](const auto& is_meant) {
        for (const std::string& candidate : candidates) {
            if (is_meant(candidate)) add(candidate);
        }
    };
    const std::string nearest = nearest_name(word, candidates);
    add(nearest);
    add_all([&](const std::string& name) { return has_words(name, word); });
    if (nearest.empty()) add_all([&](const std::string& name) { return contains(name, word); });
    const std::size_t last = word.find_last_of(separators);
    if (last != std::string_view::npos)
        add_all([&](const std::string& name) { return name == word.substr(last + 1); });
    return likely;
}

}  // namespace hwgcn
