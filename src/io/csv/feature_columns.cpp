#include "io/csv/feature_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/parameter.hpp"
#include "base/text_file.hpp"
#include "dataset/table_column.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {
namespace {

// For each column whether the list "age,city" has it. An unknown or ambiguous name is refused by find_column.
std::vector<char> marked(const CsvTable& header, const std::string& list) {
    std::vector<char> marks(header.fields().size(), 0);
    if (list.empty()) return marks;
    std::unordered_map<std::string_view, std::vector<std::size_t>> places;
    for (std::size_t place = 0; place < marks.size(); ++place)
        places[header.fields()[place]].push_back(place);
    for (const std::string& name : split_at(list, ',')) {
        const auto found = places.find(name);
        const bool clear = found != places.end() && found->second.size() == 1;
        marks[clear ? found->second.front() : find_column(header, name)] = 1;
    }
    return marks;
}

std::int64_t count_different(std::vector<std::int64_t> numbers) {
    std::ranges::sort(numbers);
    return std::unique(numbers.begin(), numbers.end()) - numbers.begin();
}

}  // namespace

FeatureColumns::FeatureColumns(const CsvTable& header, const std::vector<std::size_t>& taken,
                               const CsvFiles& files)
    : judges_(files.judge_columns) {
    const std::vector<char> categorical = marked(header, files.categorical_columns);
    const std::vector<char> numeric = marked(header, files.numeric_columns);
    std::vector<char> left_out = marked(header, files.ignored_columns);
    for (const std::size_t place : taken) {
        if (categorical[place] != 0 || left_out[place] != 0 || numeric[place] != 0) {
            header.fail(fmt::format("column '{}' holds the ids or the labels and is no feature anyway",
                                    excerpt(header.fields()[place])));
        }
        left_out[place] = 1;
    }
    for (std::size_t place = 0; place < header.fields().size(); ++place) {
        if (numeric[place] != 0 && (left_out[place] != 0 || categorical[place] != 0)) {
            header.fail(fmt::format("column '{}' is in `numeric` and in `{}`: it can be one of them",
                                    excerpt(header.fields()[place]),
                                    left_out[place] != 0 ? "ignore" : "categorical"));
        }
        if (left_out[place] != 0) continue;
        Column& column = columns_.emplace_back();
        column.place = place;
        column.name = header.fields()[place];
        column.categorical = categorical[place] != 0;
        column.wanted = numeric[place] != 0 || !judges_;
        column.called_id = is_name_of_ids(column.name);
    }
}

void FeatureColumns::look_at(const CsvTable& record) {
    ++records_;
    for (Column& column : columns_) {
        const std::string_view text = record.fields()[column.place];
        if (text.empty()) continue;
        const std::optional<float> number = column.categorical ? std::nullopt : parse_number<float>(text);
        if (number && !std::isnan(*number)) {
            look_at_number(record, column, *number);
        } else {
            look_at_text(record, column, text);
        }
    }
}

void FeatureColumns::look_at_number(const CsvTable& record, Column& column, float number) const {
    const auto place = [&] {
        return fmt::format("column '{}': '{}'", excerpt(column.name), excerpt(record.fields()[column.place]));
    };
    if (!std::isfinite(number)) {
        record.fail(
            fmt::format("{} is not a finite number (a 32-bit float), as features must be; leave the cell "
                        "empty where it is not known",
                        place()));
    }
    column.least = column.numbers == 0 ? number : std::min(column.least, number);
    column.largest = column.numbers == 0 ? number : std::max(column.largest, number);
    ++column.numbers;
    if (column.wanted) return;
    column.whole.add(record.fields()[column.place]);
    if (column.called_id && column.whole.whole) column.ids.push_back(column.whole.last);
}

void FeatureColumns::look_at_text(const CsvTable& record, Column& column, std::string_view text) const {
    if (column.texts == 0) {
        column.text = text;
        column.text_line = record.line();
    }
    ++column.texts;
    if (!column.words.add(text).second) return;
    ++column.different;
    column.all_missing = column.all_missing && stands_for_missing(text);
    column.all_commas = column.all_commas && has_decimal_comma(text);
    column.all_dates = column.all_dates && looks_like_date(text);
}

bool FeatureColumns::is_like_names(const Column& column) const {
    constexpr std::int64_t few_words = 50;
    return column.different > few_words && 2 * column.different > records_;
}

void FeatureColumns::join(TablePieces& pieces) {
    if (pieces.count() == 1) return;
    records_ = pieces.total(records_);
    join_statistics(pieces);
    join_ids(pieces);
    for (Column& column : columns_) {
        if (column.texts == 0) continue;
        column.different = pieces.count_different(column.words);
        column.text = pieces.first_text(column.text);
        // Names are not needed: they may be as many as nodes.
        if (column.categorical || !is_like_names(column)) pieces.join_names(column.words);
    }
}

void FeatureColumns::join_statistics(TablePieces& pieces) {
    struct Statistics {
        std::int64_t numbers, texts, text_line;
        float least, largest;
        bool all_missing, all_commas, all_dates;
        WholeNumbers whole;
    };
    std::vector<Statistics> own;
    for (const Column& column : columns_) {
        own.push_back({column.numbers, column.texts, column.text_line, column.least, column.largest,
                       column.all_missing, column.all_commas, column.all_dates, column.whole});
    }
    const std::vector<std::vector<Statistics>> all = pieces.values(own);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        Column& column = columns_[c];
        column.numbers = column.texts = column.text_line = 0;
        column.whole = {};
        for (const std::vector<Statistics>& piece : all) {
            const Statistics& one = piece[c];
            if (column.texts == 0) column.text_line = one.text_line;
            if (one.numbers > 0) {
                column.least = column.numbers == 0 ? one.least : std::min(column.least, one.least);
                column.largest = column.numbers == 0 ? one.largest : std::max(column.largest, one.largest);
            }
            column.numbers += one.numbers;
            column.texts += one.texts;
            column.all_missing = column.all_missing && one.all_missing;
            column.all_commas = column.all_commas && one.all_commas;
            column.all_dates = column.all_dates && one.all_dates;
            column.whole.append(one.whole);
        }
    }
}

void FeatureColumns::join_ids(TablePieces& pieces) {
    for (Column& column : columns_) {
        if (!column.called_id || column.wanted || !has_all_whole(column)) continue;
        column.different = pieces.count_different(column.ids);
        column.ids = {};
    }
}

bool FeatureColumns::has_all_whole(const Column& column) const {
    return column.whole.whole && column.numbers == records_ && !column.categorical;
}

// Numbers that name the nodes: those called ids, or what counts the lines. A measured number would hardly be
// another one in every line, and whole.
bool FeatureColumns::is_left_out_as_ids(const Column& column) const {
    constexpr std::int64_t few_ids = 20, few_lines = 50;
    if (column.wanted || !has_all_whole(column)) return false;
    if (column.called_id && records_ > few_ids && column.different == records_) return true;
    return column.whole.counts_up && records_ > few_lines;
}

void FeatureColumns::judge_whole_numbers(const CsvTable& table, Column& column,
                                         std::vector<std::string>& notes) const {
    constexpr std::int64_t few = 50;
    if (is_left_out_as_ids(column)) {
        column.role = ColumnRole::left_out;
        column.different = records_;
        notes.push_back(
            fmt::format("{}: column '{}' is left out: {} for {} nodes {} (`numeric='{}'` takes it "
                        "nevertheless)",
                        table.name(), excerpt(column.name),
                        column.whole.counts_up ? "numbers that count the lines"
                                               : fmt::format("{} different whole numbers", records_),
                        records_, "are ids rather than measurements", excerpt(column.name)));
        return;
    }
    const bool doubtful = column.whole.ascending || column.whole.fills_its_range();
    if (column.wanted || !has_all_whole(column) || records_ <= few || !doubtful) return;
    notes.push_back(
        fmt::format("{}: column '{}' is a feature: {} different whole numbers{}; if they are ids, "
                    "`ignore='{}'` leaves it out",
                    table.name(), excerpt(column.name), records_,
                    column.whole.ascending
                        ? " in ascending order"
                        : fmt::format(", each from {} to {}", column.whole.least, column.whole.largest),
                    excerpt(column.name)));
}

void FeatureColumns::decide_kind(const CsvTable& table, Column& column,
                                 std::vector<std::string>& notes) const {
    if (column.texts == 0 && !column.categorical) {
        column.kind = ColumnKind::number;
        judge_whole_numbers(table, column, notes);
        return;
    }
    if (!column.categorical && column.numbers > 0 && column.all_missing) {
        column.kind = ColumnKind::number;
        notes.push_back(fmt::format("{}: column '{}': '{}' and the like count as empty ({} in all)",
                                    table.name(), excerpt(column.name), column.text, column.texts));
        return;
    }
    if (!column.categorical && column.all_commas) {
        fail_in_file(
            fmt::format("{}:{}", table.name(), column.text_line),
            fmt::format(
                "column '{}': '{}' is a number with a comma; write a decimal point in its place, or leave a "
                "separator of thousands out (or, if these are names, `categorical='{}'`)",
                excerpt(column.name), excerpt(column.text), excerpt(column.name)));
    }
    if (column.numbers > 0) {
        fail_in_file(
            fmt::format("{}:{}", table.name(), column.text_line),
            fmt::format("column '{}': '{}' is not a number, as {} others are; `categorical='{}'` "
                        "takes all of them as words",
                        excerpt(column.name), excerpt(column.text), column.numbers, excerpt(column.name)));
    }
    if (column.categorical || !is_like_names(column)) {
        column.kind = ColumnKind::category;
        column.categories = column.words.names();
        return;
    }
    column.role = ColumnRole::left_out;
    if (column.all_dates) {
        notes.push_back(
            fmt::format("{}: column '{}' is left out: {} different dates; a number in their place, such "
                        "as the year, would be a feature",
                        table.name(), excerpt(column.name), column.different));
    } else {
        notes.push_back(
            fmt::format("{}: column '{}' is left out: {} different texts for {} nodes are names "
                        "rather than categories (`categorical` takes them nevertheless)",
                        table.name(), excerpt(column.name), column.different, records_));
    }
}

void FeatureColumns::decide(const CsvTable& table, std::vector<std::string>& notes) {
    for (Column& column : columns_) {
        if (!column.ids.empty() && column.texts == 0)
            column.different = count_different(std::move(column.ids));
        decide_kind(table, column, notes);
    }
    decide_gaps(table, notes);
    std::int64_t next = 0;
    for (Column& column : columns_) {
        // A text among numbers means that there is none.
        column.filled = column.numbers + (column.kind == ColumnKind::number ? 0 : column.texts);
        column.empty = records_ - column.filled;
        column.first_feature = static_cast<Index>(next);
        next += feature_count(column);
        if (next > std::numeric_limits<Index>::max())
            fail_in_file(std::string(table.name()), "has too many features");
    }
}

bool FeatureColumns::mostly_empty(const Column& column) const {
    return column.kind == ColumnKind::number && 2 * (records_ - column.numbers) > records_;
}

// Where many columns of numbers are mostly empty, an empty cell is the 0 of a sparse table of words;
// elsewhere it is a missing number.
void FeatureColumns::decide_gaps(const CsvTable& table, std::vector<std::string>& notes) {
    constexpr std::int64_t many = 20;
    const std::int64_t empty =
        std::ranges::count_if(columns_, [&](const Column& column) { return mostly_empty(column); });
    sparse_ = empty >= many;
    if (!sparse_) return;
    notes.push_back(
        fmt::format("{}: {} columns are mostly empty: an empty cell counts as 0 there, and 'NA' as missing",
                    table.name(), empty));
}

void FeatureColumns::encode(const CsvTable& record, CsrMatrix<float>& features) const {
    for (const Column& column : columns_) {
        if (feature_count(column) == 0) continue;
        const std::string_view text = record.fields()[column.place];
        float value = 0;
        Index feature = column.first_feature;
        if (column.kind == ColumnKind::category && !text.empty()) {
            feature += *column.words.find(text);
            value = 1;
        } else if (column.kind == ColumnKind::number) {
            constexpr float missing = std::numeric_limits<float>::quiet_NaN();
            value = text.empty() && sparse_ && mostly_empty(column)
                        ? 0.0F
                        : parse_number<float>(text).value_or(missing);
        }
        if (value == 0) continue;
        features.indices.push_back(feature);
        features.values.push_back(value);
    }
    features.offsets.push_back(features.entries());
}

void FeatureColumns::put(std::vector<TableColumn>& columns) const {
    for (const Column& column : columns_)
        columns[column.place] = static_cast<const TableColumn&>(column);
}

std::vector<std::string> FeatureColumns::feature_names() const {
    std::vector<std::string> names;
    for (const Column& column : columns_)
        add_feature_names(column, names);
    return names;
}

std::vector<FeatureKind> FeatureColumns::feature_kinds() const {
    std::vector<FeatureKind> kinds;
    for (const Column& column : columns_) {
        const bool category = column.kind == ColumnKind::category;
        const FeatureKind number = judges_ ? FeatureKind::column : FeatureKind::unknown;
        kinds.insert(kinds.end(), static_cast<std::size_t>(feature_count(column)),
                     category ? FeatureKind::category : number);
    }
    return kinds;
}

}  // namespace hwgcn
