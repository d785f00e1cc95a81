#include "io/matrix_market/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/stopping.hpp"
#include "base/text_file.hpp"

namespace hwgcn {
namespace {

struct Header {
    bool dense = false;
    bool pattern = false;
    bool symmetric = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t entries = 0;  // in the file; of dense matrices, by the size
};

void split_words(std::string_view line, std::vector<std::string_view>& words) {
    words.clear();
    for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

class MatrixMarketReader {
  public:
    MatrixMarketReader(std::string_view name, std::string_view text, ValueRange range,
                       const ExecutionControl& control)
        : name_(name), text_(text), range_(range), control_(control), lines_(text) {}

    MatrixMarket read() {
        read_banner();
        read_sizes();
        matrix_.rows = static_cast<Index>(header_.rows);
        matrix_.columns = static_cast<Index>(header_.columns);
        matrix_.symmetric = header_.symmetric;
        // The announced number alone reserves nothing: an entry takes some four bytes of text.
        matrix_.entries.reserve(std::min<std::size_t>(header_.entries, text_.size() / 4));
        header_.dense ? read_dense() : read_coordinates();
        if (next_line()) fail(fmt::format("more than the {} entries announced", header_.entries));
        return std::move(matrix_);
    }

  private:
    [[noreturn]] void fail(const std::string& message) const {
        fail_at_line(name_, lines_.line_number(), message);
    }

    // Moves to the next line that is neither blank nor a comment, and splits it into words.
    bool next_line() {
        while (lines_.next()) {
            throw_if_stopped(control_);
            if (lines_.line().starts_with('%')) continue;
            split_words(lines_.line(), words_);
            if (!words_.empty()) return true;
        }
        return false;
    }

    void read_banner() {
        if (!lines_.next()) fail_in_file(name_, "is empty: expected a Matrix Market file");
        const std::string banner = lower_case(lines_.line());
        split_words(banner, words_);
        if (words_.size() != 5 || words_[0] != "%%matrixmarket" || words_[1] != "matrix") {
            fail(fmt::format("expected '%%MatrixMarket matrix FORMAT TYPE SYMMETRY', found '{}'",
                             excerpt(lines_.line())));
        }
        header_.dense = choose("format", words_[2], {"coordinate", "array"}) == 1;
        header_.pattern = choose("type", words_[3], {"real", "integer", "pattern"}) == 2;
        header_.symmetric = choose("symmetry", words_[4], {"general", "symmetric"}) == 1;
        if (header_.dense && header_.pattern) fail("an array cannot be of type 'pattern': it has no values");
    }

    std::size_t choose(std::string_view what, std::string_view word,
                       std::initializer_list<std::string_view> known) const {
        const auto found = std::find(known.begin(), known.end(), word);
        if (found == known.end()) {
            fail(fmt::format("{} '{}' is not supported, expected {}", what, excerpt(word),
                             fmt::join(known, " or ")));
        }
        return static_cast<std::size_t>(found - known.begin());
    }

    void read_sizes() {
        const std::size_t expected = header_.dense ? 2 : 3;
        const char* const meaning = header_.dense ? "rows and columns" : "rows, columns and entries";
        if (!next_line()) fail_in_file(name_, fmt::format("ends before the line with the {}", meaning));
        if (words_.size() != expected)
            fail(fmt::format("expected {} numbers ({}), found {}", expected, meaning, words_.size()));
        constexpr std::int64_t largest = std::numeric_limits<Index>::max();
        header_.rows = read_integer(words_[0], "number of rows", 0, largest);
        header_.columns = read_integer(words_[1], "number of columns", 0, largest);
        if (header_.symmetric && header_.rows != header_.columns) {
            fail(fmt::format("a symmetric matrix must be square, found {} x {}", header_.rows,
                             header_.columns));
        }
        if (header_.dense) {
            // Both sizes are below 2^31, so that their product fits. Symmetric: the lower triangle only.
            header_.entries =
                header_.symmetric ? header_.rows * (header_.rows + 1) / 2 : header_.rows * header_.columns;
        } else {
            header_.entries =
                read_integer(words_[2], "number of entries", 0, std::numeric_limits<std::int64_t>::max());
        }
    }

    std::int64_t read_integer(std::string_view word, std::string_view what, std::int64_t lowest,
                              std::int64_t highest) const {
        const auto number = parse_number<std::int64_t>(word);
        if (!number) fail(fmt::format("expected the {}, found '{}'", what, excerpt(word)));
        if (*number < lowest || *number > highest)
            fail(fmt::format("{} {} is outside {}..{}", what, *number, lowest, highest));
        return *number;
    }

    float read_value(std::string_view word) const {
        const auto value = parse_number<float>(word);
        const bool missing = value && std::isnan(*value) && range_ == ValueRange::may_be_missing;
        if (!missing && (!value || !std::isfinite(*value)))
            fail(fmt::format("expected a finite number, found '{}'", excerpt(word)));
        return *value;
    }

    // Moves to entry number `entry`, counted from 0.
    void next_entry(std::int64_t entry, std::size_t words) {
        if (!next_line())
            fail_in_file(name_, fmt::format("{} entries announced, found {}", header_.entries, entry));
        if (words_.size() != words) {
            fail(fmt::format("expected {} numbers per entry, found {}", words, words_.size()));
        }
    }

    void add_entry(std::int64_t row, std::int64_t column, float value) {
        if (value == 0.0f) {
            matrix_.zeros += header_.dense ? 0 : 1;
            return;
        }
        matrix_.entries.push_back({static_cast<Index>(row), static_cast<Index>(column), value});
    }

    void read_coordinates() {
        for (std::int64_t entry = 0; entry < header_.entries; ++entry) {
            next_entry(entry, header_.pattern ? 2 : 3);
            const std::int64_t row = read_integer(words_[0], "row", 1, header_.rows);
            const std::int64_t column = read_integer(words_[1], "column", 1, header_.columns);
            add_entry(row - 1, column - 1, header_.pattern ? 1.0f : read_value(words_[2]));
        }
    }

    // Column by column.
    void read_dense() {
        std::int64_t row = 0, column = 0;
        for (std::int64_t entry = 0; entry < header_.entries; ++entry) {
            next_entry(entry, 1);
            add_entry(row, column, read_value(words_[0]));
            if (++row == header_.rows) {
                ++column;
                row = header_.symmetric ? column : 0;
            }
        }
    }

    std::string_view name_;
    std::string_view text_;
    ValueRange range_;
    const ExecutionControl& control_;
    LineReader lines_;
    std::vector<std::string_view> words_;  // of the current line
    Header header_;
    MatrixMarket matrix_;
};

}  // namespace

MatrixMarket parse_matrix_market(std::string_view name, std::string_view text, ValueRange range,
                                 const ExecutionControl& control) {
    return MatrixMarketReader(name, text, range, control).read();
}

}  // namespace hwgcn
