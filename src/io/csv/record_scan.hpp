#pragma once

#include <cstdint>
#include <string_view>

#include "io/csv/csv_table.hpp"

namespace hwgcn {

/// Follows the quotes of a text, which may come in pieces, without reading its fields: it finds which lines
/// CsvTable may take for the beginning of a record, and which lie within a field.
class RecordScan {
  public:
    static constexpr std::int64_t nowhere = -1;

    /// At the beginning of a line: `quoted` where it lies within a field.
    RecordScan(const CsvSyntax& syntax, bool quoted);

    void read(std::string_view text);

    /// Whether the text so far ends within quotes.
    bool is_quoted() const { return state_ == State::quoted; }

    /// The first and the last place where a record may begin, perhaps the end of the text.
    std::int64_t first_record() const { return first_record_; }
    std::int64_t last_record() const { return last_record_; }

    /// The last quote that opens a field.
    std::int64_t last_opening() const { return last_opening_; }

  private:
    enum class State { line_begin, comment, field_begin, plain, quoted, quote_in_quotes, closed };

    State after(char byte) const;
    State after_field(char byte) const;
    std::size_t next_of_interest(std::string_view text, std::size_t place) const;

    CsvSyntax syntax_;
    State state_;
    std::int64_t length_ = 0;  // of what has been read
    std::int64_t first_record_ = nowhere;
    std::int64_t last_record_ = nowhere;
    std::int64_t last_opening_ = nowhere;
};

}  // namespace hwgcn
