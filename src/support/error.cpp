#include "hwgcn/support/error.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwgcn {
namespace {

// Levenshtein distance with one row of the table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

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
    const std::string nearest = nearest_name(word, candidates);
    const std::string hint = nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
    throw InputError(
        fmt::format("unknown {} '{}'{} (known: {})", what, word, hint, fmt::join(candidates, ", ")));
}

}  // namespace hwgcn
