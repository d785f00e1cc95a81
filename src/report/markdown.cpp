#include "report/markdown.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "report/text.hpp"

namespace hwgcn {
namespace {

using Row = std::vector<std::string>;

// A backslash is escaped, too, or one that stands before a pipe would undo the pipe's escape.
std::string escape_cell(std::string_view text) {
    std::string escaped;
    for (const char character : text) {
        if (character == '|' || character == '\\') escaped += '\\';
        escaped += character == '\n' || character == '\r' ? ' ' : character;
    }
    return escaped;
}

Row escape_cells(const Row& cells) {
    Row escaped;
    for (const std::string& cell : cells)
        escaped.push_back(escape_cell(cell));
    return escaped;
}

// The headings, then the rows, ready to print.
std::vector<Row> escaped_lines(const MarkdownTable& table) {
    if (table.columns.empty()) throw InputError("Markdown table: expected at least one column, got none");
    Row headings;
    for (const MarkdownColumn& column : table.columns)
        headings.push_back(column.heading);
    std::vector<Row> lines{escape_cells(headings)};
    for (const Row& row : table.rows) {
        if (row.size() != headings.size()) {
            throw InputError(fmt::format("Markdown table: row {}: expected {} cells, got {}", lines.size(),
                                         headings.size(), row.size()));
        }
        lines.push_back(escape_cells(row));
    }
    return lines;
}

std::vector<std::size_t> column_widths(const std::vector<Row>& lines) {
    std::vector<std::size_t> widths(lines.front().size(), 3);  // the rule below the headings needs "---"
    for (const Row& line : lines) {
        for (std::size_t column = 0; column < line.size(); ++column)
            widths[column] = std::max(widths[column], character_count(line[column]));
    }
    return widths;
}

}  // namespace

std::string markdown_text(const MarkdownTable& table) {
    const std::vector<Row> lines = escaped_lines(table);
    const std::vector<std::size_t> widths = column_widths(lines);
    std::string text;
    const auto add_line = [&](const Row& line) {
        for (std::size_t column = 0; column < line.size(); ++column) {
            const std::string padding(widths[column] - character_count(line[column]), ' ');
            const bool right = table.columns[column].numeric;
            text += right ? "| " + padding + line[column] + ' ' : "| " + line[column] + padding + ' ';
        }
        text += "|\n";
    };
    add_line(lines.front());
    Row rule;
    for (std::size_t column = 0; column < widths.size(); ++column) {
        const bool right = table.columns[column].numeric;
        rule.push_back(std::string(widths[column] - (right ? 1 : 0), '-') + (right ? ":" : ""));
    }
    add_line(rule);
    std::for_each(lines.begin() + 1, lines.end(), add_line);
    return text;
}

std::string markdown_heading(int level, std::string_view text) {
    if (level < 1 || level > 6)
        throw InputError(fmt::format("Markdown heading: expected a level in 1..6, got {}", level));
    std::string line(text);
    std::ranges::replace_if(
        line, [](char character) { return character == '\n' || character == '\r'; }, ' ');
    return fmt::format("{} {}\n\n", std::string(static_cast<std::size_t>(level), '#'), line);
}

}  // namespace hwgcn
