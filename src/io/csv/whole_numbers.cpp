#include "io/csv/whole_numbers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace hwgcn {
namespace {

// The last step of SplitMix64, so that no sum of other numbers is likely to be the same.
std::uint64_t mixed(std::int64_t number) {
    std::uint64_t bits = static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

bool is_lower(char letter) {
    return letter >= 'a' && letter <= 'z';
}

}  // namespace

void WholeNumbers::add(std::string_view cell) {
    if (!whole) return;
    constexpr std::int64_t largest_id = std::int64_t{1} << 62;  // differences do not overflow
    const std::optional<std::int64_t> number = parse_number<std::int64_t>(cell);
    if (!number || *number > largest_id || *number < -largest_id) {
        whole = false;
        return;
    }
    append({1, true, true, true, *number, *number, *number, *number, mixed(*number)});
}

void WholeNumbers::append(const WholeNumbers& next) {
    whole = whole && next.whole;
    if (next.count == 0 || !whole) return;
    if (count == 0) {
        *this = next;
        return;
    }
    ascending = ascending && next.ascending && next.first > last;
    counts_up = counts_up && next.counts_up && next.first == last + 1;
    last = next.last;
    least = std::min(least, next.least);
    largest = std::max(largest, next.largest);
    count += next.count;
    sum += next.sum;
}

bool WholeNumbers::fills_its_range() const {
    if (!whole || count == 0 || largest - least != count - 1) return false;
    std::uint64_t wanted = 0;
    for (std::int64_t number = least; number <= largest; ++number)
        wanted += mixed(number);
    return sum == wanted;
}

bool is_name_of_ids(std::string_view name) {
    static constexpr std::array<std::string_view, 10> usual = {"",    "id", "ids",   "index",     "idx",
                                                               "uid", "pk", "rowid", "rownumber", "key"};
    std::string lower = lower_case(name);
    if (lower.starts_with("unnamed:")) return true;  // as pandas calls an index
    const std::string_view ending = name.size() > 2 ? name.substr(name.size() - 2) : "";
    const char before = name.size() > 2 ? name[name.size() - 3] : ' ';
    const bool apart = before == '_' || before == '-' || before == ' ' || before == '.';
    if (lower_case(ending) == "id" && (apart || (ending[0] == 'I' && is_lower(before)))) return true;
    std::erase_if(lower, [](char letter) { return letter == '_' || letter == '-' || letter == ' '; });
    return std::ranges::find(usual, std::string_view(lower)) != usual.end();
}

}  // namespace hwgcn
