#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/base/run_control.hpp"

namespace hwgcn {

/// Whether lines that start with '#' or '%' are left out.
enum class CsvComments { kept, skipped };

/// What separates the fields of a table.
struct CsvSyntax {
    char delimiter = ',';  ///< ' ' stands for runs of blanks
    CsvComments comments = CsvComments::kept;

    /// The carriage return of \r\n counts as a blank before the end of the line.
    bool is_blank(char byte) const {
        return byte == ' ' || byte == '\r' || (byte == '\t' && delimiter != '\t');
    }
    bool is_delimiter(char byte) const { return delimiter == ' ' ? is_blank(byte) : byte == delimiter; }
    bool is_comment(char byte) const {
        return comments == CsvComments::skipped && (byte == '#' || byte == '%');
    }
};

/// Reads a delimited text record by record. The delimiter is detected in the first record: tab, comma or
/// semicolon, or else runs of blanks. Fields may be quoted as in RFC 4180; blanks around fields are dropped,
/// within quotes they are kept; empty lines are skipped. All records have as many fields as the first.
class CsvTable {
  public:
    /// `name` (for messages) and `text` must outlive the table.
    CsvTable(std::string_view name, std::string_view text, CsvComments comments = CsvComments::kept,
             const ExecutionControl& control = {});

    /// Goes on with whole records from further down in the file of which `head` has read the first one; they
    /// begin on the line of number `line`.
    CsvTable(const CsvTable& head, std::string_view piece, std::int64_t line);

    /// Moves to the next record; false at the end of the text. Throws Interrupted where a stop is wanted.
    bool next();

    /// The fields of the record, valid until the next call of `next`.
    std::span<const std::string_view> fields() const { return fields_; }

    /// The line on which the record begins.
    std::int64_t line() const { return record_line_; }

    std::string_view name() const { return name_; }
    const CsvSyntax& syntax() const { return syntax_; }

    /// Whether the text has the end of the first record: what separates fields is certain only then.
    bool has_whole_record() const { return has_whole_record_; }

    /// Throws InputError that points to the current record.
    [[noreturn]] void fail(const std::string& message) const;

  private:
    bool at_end() const { return position_ == text_.size(); }
    bool at_line_end() const { return at_end() || text_[position_] == '\n'; }
    bool is_blank(char byte) const { return syntax_.is_blank(byte); }
    bool is_delimiter(char byte) const { return syntax_.is_delimiter(byte); }
    void skip_blanks();
    void skip_lines_without_record();
    char detect_delimiter();
    std::string_view read_plain_field();
    std::string_view read_quoted_field();
    std::string_view unescape(std::string_view quoted);
    bool another_field_follows();
    void check_width();

    std::string_view name_;
    std::string_view text_;
    CsvSyntax syntax_;
    ExecutionControl control_;
    bool has_whole_record_ = false;
    std::size_t position_ = 0;
    std::int64_t line_ = 1;
    std::int64_t record_line_ = 0;
    std::int64_t first_line_ = 0;
    std::size_t width_ = 0;  // 0: no record has been read yet
    std::vector<std::string_view> fields_;
    std::deque<std::string> unescaped_;  // what fields with doubled quotes stand for
};

/// The place of the column called `wanted` in the record under `header`. Where there is none, the message
/// names those present and suggests the nearest.
std::size_t find_column(const CsvTable& header, std::string_view wanted);

/// `text` as a field that CsvTable reads back: in quotes where it would be split, trimmed, skipped as a
/// comment or taken for an empty line.
std::string csv_field(std::string_view text);

}  // namespace hwgcn
