#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hwgcn::cli {

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::right;
};

/// Text in aligned columns.
class Table {
  public:
    explicit Table(std::vector<Column> columns);

    /// One cell per column.
    void add(std::vector<std::string> cells);

    /// The lines, each indented by two blanks and ended by a line feed.
    std::string text() const;

  private:
    std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// "1,389,500"
std::string grouped(std::int64_t number);

/// The same to three digits, for what is an estimate anyway: "1,390,000".
std::string roughly(std::int64_t number);

/// A mean: "31.9", "475,010".
std::string mean_text(double mean);

/// A number and its noun: "1 order", "1,389,500 pairs".
std::string counted(std::int64_t number, std::string_view noun);

/// A time that a person reads at a glance: "0.35 s", "12 s", "2 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

/// "61 MB", "2.4 GB"
std::string memory_text(double megabytes);

/// A name from outside, safe and short enough for a line: control characters are escaped.
std::string printable(std::string_view text, std::size_t longest = 60);

/// Breaks at blanks: no line is longer than `width`, where words allow it.
std::string wrapped(std::string_view text, std::size_t width);

/// An item of a list, wrapped and indented, ended by a line feed.
std::string bullet(std::string_view text);

/// The same in bold where standard output is a terminal.
std::string heading(std::string_view text);

}  // namespace hwgcn::cli
