#include "io/csv/record_scan.hpp"

#include <algorithm>

namespace hwgcn {

RecordScan::RecordScan(const CsvSyntax& syntax, bool quoted)
    : syntax_(syntax), state_(quoted ? State::quoted : State::line_begin) {
    if (!quoted) first_record_ = last_record_ = 0;
}

void RecordScan::read(std::string_view text) {
    for (std::size_t place = next_of_interest(text, 0); place < text.size();
         place = next_of_interest(text, place)) {
        const State before = state_;
        state_ = after(text[place]);
        if (state_ == State::quoted && (before == State::line_begin || before == State::field_begin))
            last_opening_ = length_ + static_cast<std::int64_t>(place);
        ++place;
        if (state_ != State::line_begin) continue;
        last_record_ = length_ + static_cast<std::int64_t>(place);
        if (first_record_ == nowhere) first_record_ = last_record_;
    }
    length_ += static_cast<std::int64_t>(text.size());
}

// Within quotes only a quote matters, and outside of them only lines that have one, and the last line.
std::size_t RecordScan::next_of_interest(std::string_view text, std::size_t place) const {
    if (state_ == State::quoted) return std::min(text.find('"', place), text.size());
    if (state_ != State::line_begin || place == text.size()) return place;
    const std::string_view free = text.substr(place, text.find('"', place) - place);
    const std::size_t line_end = free.substr(0, free.size() - (free.ends_with('\n') ? 1 : 0)).rfind('\n');
    return line_end == std::string_view::npos ? place : place + line_end;
}

RecordScan::State RecordScan::after(char byte) const {
    switch (state_) {
        case State::line_begin:
            if (syntax_.is_comment(byte)) return State::comment;
            [[fallthrough]];
        case State::field_begin:
            if (byte == '"') return State::quoted;
            return syntax_.is_blank(byte) ? State::field_begin : after_field(byte);
        case State::comment:
            return byte == '\n' ? State::line_begin : State::comment;
        case State::plain:
            return after_field(byte);
        case State::quoted:
            return byte == '"' ? State::quote_in_quotes : State::quoted;
        case State::quote_in_quotes:
            if (byte == '"') return State::quoted;
            [[fallthrough]];
        case State::closed: {
            const State next = after_field(byte);
            return next == State::plain && syntax_.is_blank(byte) ? State::closed : next;
        }
    }
    return State::plain;
}

// Text behind a closing quote is an error that CsvTable reports; what follows is taken for plain text.
RecordScan::State RecordScan::after_field(char byte) const {
    if (byte == '\n') return State::line_begin;
    return syntax_.is_delimiter(byte) ? State::field_begin : State::plain;
}

}  // namespace hwgcn
