#include "io/csv/weight_column.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t largest_sample = 10'000;

bool are_whole(const std::vector<double>& numbers) {
    return std::ranges::all_of(numbers, [](double number) { return number == std::trunc(number); });
}

bool are_distinct(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    return std::ranges::adjacent_find(numbers) == numbers.end();
}

bool count_up(const std::vector<double>& numbers) {
    return std::ranges::adjacent_find(numbers, [](double a, double b) { return b != a + 1; }) ==
           numbers.end();
}

// 20240131
bool is_calendar_day(double number) {
    const auto day = static_cast<std::int64_t>(number);
    const std::int64_t month = day / 100 % 100;
    return day >= 19000101 && day <= 21001231 && month >= 1 && month <= 12 && day % 100 >= 1 &&
           day % 100 <= 31;
}

// Years, calendar days, or seconds and milliseconds since 1970, of the years 1990 to 2100.
bool look_like_dates(const std::vector<double>& numbers) {
    const auto [least, most] = std::ranges::minmax(numbers);
    const auto within = [&, low = least, high = most](double from, double to) {
        return low >= from && high <= to;
    };
    return within(1900, 2100) || within(6.3e8, 4.2e9) || within(6.3e11, 4.2e12) ||
           std::ranges::all_of(numbers, is_calendar_day);
}

}  // namespace

WeightColumn::WeightColumn(const CsvTable& first, const std::string& wanted, bool promised) {
    if (wanted == "none") return;
    const auto fields = first.fields();
    const std::optional<std::size_t> number = parse_number<std::size_t>(wanted);
    const bool is_numbered = number && *number >= 1 && *number <= fields.size();
    if (wanted.empty()) {
        const auto found =
            std::ranges::find_if(fields, [](std::string_view name) { return lower_case(name) == "weight"; });
        if (found == fields.end()) return;
        place_ = static_cast<std::size_t>(found - fields.begin());
    } else {
        place_ = is_numbered ? *number - 1 : find_column(first, wanted);
    }
    named_ = !is_numbered;
    certain_ = !wanted.empty() || promised;
    name_ = named_ ? fmt::format("'{}'", excerpt(fields[*place_])) : fmt::to_string(*place_ + 1);
}

float WeightColumn::read(const CsvTable& table) {
    ++records_;
    const std::string_view text = table.fields()[*place_];
    const std::optional<float> number = parse_number<float>(text);
    if (number) ++numbers_;
    if (number && sample_.size() < largest_sample) sample_.push_back(*parse_number<double>(text));
    if (number && std::isfinite(*number) && *number >= 0) {
        weights_.push_back(*number);
        return *number;
    }
    weights_.push_back(0.0F);
    if (bad_line_ == 0) {
        bad_line_ = table.line();
        bad_text_ = excerpt(text);
    }
    return 0.0F;
}

void WeightColumn::join(TablePieces& pieces) {
    if (!place_) return;
    records_ = pieces.total(records_);
    numbers_ = pieces.total(numbers_);
    std::vector<double> sample;
    for (const std::vector<double>& piece : pieces.values(sample_))
        sample.insert(sample.end(), piece.begin(), piece.end());
    sample.resize(std::min(sample.size(), largest_sample));
    sample_ = std::move(sample);
    const std::vector<std::string> texts = pieces.texts(bad_text_);
    const std::vector<std::vector<std::int64_t>> lines = pieces.values(std::vector<std::int64_t>{bad_line_});
    const auto bad = std::ranges::find_if(lines, [](const auto& line) { return line.front() > 0; });
    if (bad == lines.end()) return;
    bad_line_ = bad->front();
    bad_text_ = texts[static_cast<std::size_t>(bad - lines.begin())];
}

// What a column called "weight" holds instead of weights, or "".
std::string WeightColumn::what_else() const {
    constexpr std::size_t enough = 10;
    constexpr double large = 1000;
    if (2 * numbers_ < records_) return "it holds text";
    if (bad_line_ > 0 || sample_.size() < enough || !are_whole(sample_)) return "";
    if (look_like_dates(sample_)) return "its numbers look like dates";
    const bool are_ids = are_distinct(sample_) && (count_up(sample_) || std::ranges::min(sample_) >= large);
    return are_ids ? "its numbers look like ids, all of them different" : "";
}

std::optional<std::vector<float>> WeightColumn::finish(const CsvTable& table,
                                                       std::vector<std::string>& notes) {
    if (!place_) return std::nullopt;
    if (const std::string other = certain_ ? "" : what_else(); !other.empty()) {
        notes.push_back(fmt::format("{}: column {} is not used as weights: {} (`weight={}` takes it)",
                                    table.name(), name_, other, name_));
        return std::nullopt;
    }
    if (bad_line_ > 0) {
        fail_at_line(table.name(), bad_line_,
                     fmt::format("the weight (column {}) is '{}', expected a finite number of at least 0; "
                                 "`weight=none` reads edges without weights",
                                 name_, bad_text_));
    }
    return std::move(weights_);
}

}  // namespace hwgcn
