#include "tables.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <unistd.h>

#include "base/safe_text.hpp"
#include "environment.hpp"

namespace hwgcn::cli {
namespace {

// Characters, not bytes: the bytes after the first of a UTF-8 character have the form 10xxxxxx.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<std::string> cells) {
    cells.resize(columns_.size());
    rows_.push_back(std::move(cells));
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
    std::string text = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string blanks(widths[i] - width_of(cells[i]), ' ');
        text += columns_[i].align == Align::right ? " " + blanks + cells[i] : " " + cells[i] + blanks;
        if (i + 1 < cells.size()) text += ' ';
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::string Table::text() const {
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        titles.push_back(columns_[i].title);
        widths.push_back(width_of(columns_[i].title));
        for (const auto& row : rows_)
            widths[i] = std::max(widths[i], width_of(row[i]));
    }
    std::string text = heading(line(titles, widths)) + '\n';
    for (const auto& row : rows_)
        text += line(row, widths) + '\n';
    return text;
}

std::string grouped(std::int64_t number) {
    std::string digits = fmt::to_string(number);
    const std::ptrdiff_t first = number < 0 ? 1 : 0;
    for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > first; place -= 3)
        digits.insert(static_cast<std::size_t>(place), ",");
    return digits;
}

std::string roughly(std::int64_t number) {
    std::int64_t unit = 1;
    while (number / unit >= 1000)
        unit *= 10;
    return grouped((number + unit / 2) / unit * unit);
}

std::string mean_text(double mean) {
    return mean < 1000 ? fmt::format("{:.1f}", mean) : grouped(std::llround(mean));
}

std::string counted(std::int64_t number, std::string_view noun) {
    return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds)) return "unknown";
    if (seconds > 0 && seconds < 0.005) return "< 0.01 s";
    if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
    if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
    const auto minutes = static_cast<std::int64_t>(seconds / 60);
    if (minutes < 60) return fmt::format("{} min {} s", minutes, static_cast<int>(seconds) % 60);
    const std::int64_t hours = minutes / 60;
    if (hours < 48) return fmt::format("{} h {} min", hours, minutes % 60);
    return counted(hours / 24, "day");
}

std::string memory_text(double megabytes) {
    return megabytes < 1024 ? fmt::format("{:.0f} MB", megabytes)
                            : fmt::format("{:.1f} GB", megabytes / 1024);
}

std::string printable(std::string_view text, std::size_t longest) {
    return safe_text(text, longest);
}

std::string wrapped(std::string_view text, std::size_t width) {
    std::string result;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (column > 0 && column + 1 + word.size() > width) {
            result += '\n';
            column = 0;
        } else if (column > 0) {
            result += ' ';
            ++column;
        }
        result += word;
        column += word.size();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

std::string bullet(std::string_view text) {
    constexpr std::size_t text_width = 94;
    std::string item = "  - ";
    for (const char letter : wrapped(text, text_width)) {
        item += letter;
        if (letter == '\n') item += "    ";
    }
    return item + '\n';
}

std::string heading(std::string_view text) {
    static const bool color = wants_color(STDOUT_FILENO);
    return color ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

}  // namespace hwgcn::cli
