#include "hwgcn/base/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "base/safe_text.hpp"
#include "base/suggestions.hpp"

namespace hwgcn {
namespace {

// Insertions, deletions, substitutions and swaps of neighboring letters, each counted as one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last, last, row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({substituted, last[j] + 1, row[j - 1] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

Error::Error(std::string_view message) : std::runtime_error(safe_text(message)) {}

void fail_at_line(std::string_view file, std::int64_t line, std::string_view message) {
    throw InputError(fmt::format("{}:{}: {}", file, line, message));
}

void fail_at_byte(std::string_view file, std::int64_t byte, std::string_view message) {
    throw InputError(fmt::format("{}: byte {}: {}", file, byte, message));
}

void fail_in_file(std::string_view file, std::string_view message) {
    throw InputError(fmt::format("{}: {}", file, message));
}

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
    std::string nearest;
    // A suggestion further away than a third of the word would only confuse.
    std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < limit) {
            limit = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

void fail_unknown_name(std::string_view what, std::string_view word,
                       std::span<const std::string> candidates) {
    constexpr std::size_t longest_list = 30;  // of more, only those that may be meant
    std::vector<std::string> likely = likely_names(word, candidates);
    for (std::string& name : likely)
        name = fmt::format("'{}'", name);
    const std::string hint =
        likely.empty() ? "" : fmt::format(", did you mean {}?", join_alternatives(likely));
    const bool lists = candidates.size() <= longest_list;
    const std::string known = lists            ? fmt::format(" (known: {})", fmt::join(candidates, ", "))
                              : likely.empty() ? fmt::format(" ({} others are known)", candidates.size())
                                               : "";
    throw InputError(fmt::format("unknown {} '{}'{}{}", what, word, hint, known));
}

}  // namespace hwgcn
