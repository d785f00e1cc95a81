#include "io/csv/csv_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "base/stopping.hpp"
#include "base/text_file.hpp"

namespace hwgcn {

CsvTable::CsvTable(std::string_view name, std::string_view text, CsvComments comments,
                   const ExecutionControl& control)
    : name_(name), text_(text), syntax_{.comments = comments}, control_(control) {
    skip_lines_without_record();
    syntax_.delimiter = detect_delimiter();
}

CsvTable::CsvTable(const CsvTable& head, std::string_view piece, std::int64_t line) : CsvTable(head) {
    text_ = piece;
    position_ = 0;
    line_ = line;
}

bool CsvTable::next() {
    throw_if_stopped(control_);
    skip_lines_without_record();
    if (at_end()) return false;
    record_line_ = line_;
    fields_.clear();
    unescaped_.clear();
    do {
        skip_blanks();
        const bool quoted = !at_end() && text_[position_] == '"';
        fields_.push_back(quoted ? read_quoted_field() : read_plain_field());
    } while (another_field_follows());
    check_width();
    return true;
}

void CsvTable::fail(const std::string& message) const {
    fail_at_line(name_, record_line_, message);
}

void CsvTable::skip_blanks() {
    while (!at_end() && is_blank(text_[position_]))
        ++position_;
}

void CsvTable::skip_lines_without_record() {
    while (!at_end()) {
        const std::size_t begin = position_;
        if (syntax_.is_comment(text_[begin])) {
            position_ = std::min(text_.find('\n', begin), text_.size());
        } else {
            skip_blanks();
        }
        if (!at_line_end()) {
            position_ = begin;
            return;
        }
        if (!at_end()) {
            ++position_;
            ++line_;
        }
    }
}

char CsvTable::detect_delimiter() {
    std::size_t commas = 0, semicolons = 0, tabs = 0, spaces = 0;
    bool quoted = false;
    bool field_begins = true;
    for (std::size_t i = position_; i < text_.size(); ++i) {
        const char byte = text_[i];
        has_whole_record_ = !quoted && byte == '\n';
        if (has_whole_record_) break;
        // A quote opens only at the beginning of a field; elsewhere it is an ordinary character. Of a doubled
        // one, the first closes and the second opens again.
        if (byte == '"') quoted = !quoted && (field_begins || text_[i - 1] == '"');
        if (quoted) continue;
        commas += byte == ',';
        semicolons += byte == ';';
        tabs += byte == '\t';
        spaces += byte == ' ';
        field_begins = byte == ',' || byte == ';' || byte == '\t' || byte == ' ';
    }
    // Text may well hold commas and semicolons, but hardly ever tabs.
    if (tabs > 0) return '\t';
    if (commas + semicolons > 0) return commas >= semicolons ? ',' : ';';
    return spaces > 0 ? ' ' : ',';
}

std::string_view CsvTable::read_plain_field() {
    const std::size_t begin = position_;
    while (!at_line_end() && !is_delimiter(text_[position_]))
        ++position_;
    std::size_t end = position_;
    while (end > begin && is_blank(text_[end - 1]))
        --end;
    const std::string_view field = text_.substr(begin, end - begin);
    if (field.find('\r') != std::string_view::npos) {
        fail_at_line(
            name_, line_,
            "has a carriage return (\\r) within the line: lines must end in the same way in all of the file");
    }
    return field;
}

std::string_view CsvTable::read_quoted_field() {
    const std::int64_t opened = line_;
    const std::size_t begin = ++position_;
    bool doubled = false;
    for (;;) {
        const std::size_t quote = text_.find('"', position_);
        const auto breaks =
            std::count(text_.begin() + position_,
                       quote == std::string_view::npos ? text_.end() : text_.begin() + quote, '\n');
        if (quote == std::string_view::npos)
            fail_at_line(name_, opened, "the quote that opens here is never closed");
        line_ += breaks;
        position_ = quote + 1;
        if (at_end() || text_[position_] != '"') {
            const std::string_view content = text_.substr(begin, quote - begin);
            return doubled ? unescape(content) : content;
        }
        doubled = true;
        ++position_;
    }
}

std::string_view CsvTable::unescape(std::string_view quoted) {
    std::string& content = unescaped_.emplace_back();
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        content += quoted[i];
        if (quoted[i] == '"') ++i;
    }
    return content;
}

// Moves over what separates this field from the next one, or over the end of the line.
bool CsvTable::another_field_follows() {
    const bool separated = at_line_end() || is_blank(text_[position_]);
    skip_blanks();
    if (at_end()) return false;
    if (at_line_end()) {
        ++position_;
        ++line_;
        return false;
    }
    if (syntax_.delimiter == ' ' && separated) return true;
    if (syntax_.delimiter == ' ' || !is_delimiter(text_[position_])) {
        const std::string_view rest = text_.substr(position_, text_.find('\n', position_) - position_);
        fail_at_line(name_, line_, fmt::format("unexpected text after a closing quote: '{}'", excerpt(rest)));
    }
    ++position_;
    return true;
}

void CsvTable::check_width() {
    if (width_ == 0) {
        width_ = fields_.size();
        first_line_ = record_line_;
    } else if (fields_.size() != width_) {
        fail(fmt::format("expected {} fields as on line {}, found {}", width_, first_line_, fields_.size()));
    }
}

std::size_t find_column(const CsvTable& header, std::string_view wanted) {
    const auto fields = header.fields();
    const auto found = std::find(fields.begin(), fields.end(), wanted);
    if (found != fields.end()) {
        if (std::find(found + 1, fields.end(), wanted) != fields.end())
            header.fail(fmt::format("column '{}' appears more than once", excerpt(wanted)));
        return static_cast<std::size_t>(found - fields.begin());
    }

    constexpr std::size_t most_named = 20;
    std::vector<std::string> names;
    for (const std::string_view field : fields)
        names.push_back(excerpt(field));
    const std::string nearest = nearest_name(excerpt(wanted), names);
    std::string hint = nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
    if (wanted.find(',') != std::string_view::npos) {
        if (hint.empty()) hint = "; one column is meant";
        for (const std::string& part : split_at(std::string(wanted), ',')) {
            if (std::ranges::find(fields, std::string_view(part)) == fields.end()) continue;
            hint = fmt::format("; one column is meant, such as '{}'", excerpt(part));
            break;
        }
    }
    const std::size_t unnamed = names.size() > most_named ? names.size() - most_named : 0;
    names.resize(names.size() - unnamed);
    header.fail(fmt::format("no column '{}'{} (columns: {}{})", excerpt(wanted), hint, fmt::join(names, ", "),
                            unnamed > 0 ? fmt::format(" and {} more", unnamed) : ""));
}

std::string csv_field(std::string_view text) {
    const bool plain = !text.empty() && text == trimmed(text) &&
                       text.find_first_of("\",;\t\r\n") == std::string_view::npos && text[0] != '#' &&
                       text[0] != '%';
    if (plain) return std::string(text);
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"') quoted += '"';
        quoted += letter;
    }
    return quoted + '"';
}

}  // namespace hwgcn
