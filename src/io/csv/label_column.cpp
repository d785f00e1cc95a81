#include "io/csv/label_column.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {
namespace {

// Ages and years: many whole numbers in a row that do not begin like class numbers do.
void note_whole_numbers(std::string_view name, const std::vector<std::string>& classes,
                        std::vector<std::string>& notes) {
    constexpr std::size_t many = 20;
    if (classes.size() <= many) return;
    for (const std::string& one : classes) {
        if (!parse_number<std::int64_t>(one)) return;
    }
    // Classes ascend.
    const auto least = parse_number<std::int64_t>(classes.front());
    if (*least == 0 || *least == 1) return;
    notes.push_back(fmt::format(
        "{}: the {} classes are the whole numbers from {} to {}; if they were measured, as an age or a "
        "year, `bins=5` puts them into five ranges",
        name, classes.size(), excerpt(classes.front()), excerpt(classes.back())));
}

}  // namespace

LabelColumn::LabelColumn(const CsvFiles& files) : files_(files) {
    if (!files.bins.empty()) bins_ = parse_bins(files.bins);
    if (bins_ && !files.label_separator.empty())
        throw InputError("`bins` is about numbers and `label_separator` about words: give one of them");
}

void LabelColumn::add(const CsvTable& record, std::string_view cell) {
    if (stands_for_missing(cell) && missing_++ == 0) missing_text_ = cell;
    if (bins_) {
        add_number(record, cell);
    } else {
        texts_.add(files_.label_separator.empty() ? cell : first_part(cell));
    }
}

// Among measured numbers -1 is one of them.
void LabelColumn::add_number(const CsvTable& record, std::string_view cell) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (cell == "-1" || !means_unlabelled(cell)) {
        const std::optional<double> found = parse_number<double>(cell);
        if (!found || !std::isfinite(*found)) {
            record.fail(
                fmt::format("the label '{}' is not a finite number, as `bins` needs them", excerpt(cell)));
        }
        number = *found == 0 ? 0.0 : *found;  // no -0
    }
    numbers_.push_back(number);
}

// The first that is not empty.
std::string_view LabelColumn::first_part(std::string_view cell) {
    const std::string_view separator = files_.label_separator;
    const std::string_view whole = cell;
    for (;;) {
        const std::size_t end = cell.find(separator);
        const std::string_view part = trimmed(cell.substr(0, end));
        if (end != std::string_view::npos && part.empty()) {
            cell.remove_prefix(end + separator.size());
            continue;
        }
        if (part != whole && cut_++ == 0) {
            cut_text_ = whole;
            kept_text_ = part;
        }
        return part;
    }
}

void LabelColumn::join(TablePieces& pieces) {
    if (bins_) {
        for (const std::vector<NumberCount>& piece : pieces.values(count_numbers(numbers_)))
            join_counts(counts_, piece);
    }
    texts_.join(pieces);
    missing_ = pieces.total(missing_);
    missing_text_ = pieces.first_text(missing_text_);
    cut_ = pieces.total(cut_);
    // The two texts belong together: the class may be empty.
    const std::string both = pieces.first_text(cut_text_.empty() ? "" : cut_text_ + '\0' + kept_text_);
    const std::size_t end = both.find('\0');
    cut_text_ = both.substr(0, end);
    kept_text_ = end == std::string::npos ? "" : both.substr(end + 1);
}

EncodedLabels LabelColumn::encode(std::string_view name, std::vector<std::string>& notes) const {
    EncodedLabels encoded = bins_ ? encode_numbers(name, notes) : texts_.encode();
    if (missing_ > 0) {
        notes.push_back(fmt::format("{}: labels '{}' and the like count as not known ({} in all)", name,
                                    missing_text_, missing_));
    }
    note_minus_ones(name, encoded.minus_ones, notes);
    if (!files_.label_separator.empty()) note_parts(name, notes);
    if (!bins_) note_whole_numbers(name, encoded.class_names, notes);
    return encoded;
}

EncodedLabels LabelColumn::encode_numbers(std::string_view name, std::vector<std::string>& notes) const {
    EncodedLabels encoded = bin_labels(numbers_, counts_, *bins_);
    const std::size_t ranges = encoded.class_names.size();
    constexpr std::size_t most_named = 12;
    const std::size_t named = std::min(ranges, most_named);
    const std::vector<std::string> shown(encoded.class_names.begin(),
                                         encoded.class_names.begin() + static_cast<std::ptrdiff_t>(named));
    notes.push_back(
        fmt::format("{}: the labels were put into {} range{} of numbers: {}{}{}", name, ranges,
                    ranges == 1 ? "" : "s", fmt::join(shown, ", "), named < ranges ? ", .." : "",
                    static_cast<int>(ranges) < *bins_
                        ? fmt::format("; equal numbers stay together, so that they are fewer than "
                                      "`bins={}`",
                                      *bins_)
                        : ""));
    return encoded;
}

void LabelColumn::note_parts(std::string_view name, std::vector<std::string>& notes) const {
    if (cut_ == 0) {
        notes.push_back(fmt::format("{}: no label has '{}', so that `label_separator` changes nothing", name,
                                    excerpt(files_.label_separator)));
        return;
    }
    notes.push_back(
        fmt::format("{}: {} label{} several parts, of which the first is the class ('{}' of '{}')", name,
                    cut_, cut_ == 1 ? " has" : "s have", excerpt(kept_text_), excerpt(cut_text_)));
}

}  // namespace hwgcn
