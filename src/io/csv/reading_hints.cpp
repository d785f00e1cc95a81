#include "io/csv/reading_hints.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/parameter.hpp"
#include "base/text_file.hpp"
#include "base/utf8.hpp"
#include "dataset/target.hpp"

namespace hwgcn {
namespace {

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

// What two spellings of the same name have in common: no capitals, no blanks, no zeros before a number and
// none behind its point ("007", "7.0" and "7").
std::string without_spelling(std::string_view name) {
    std::string text = lower_case(name);
    std::erase_if(text, [](char letter) { return letter == ' ' || letter == '\t'; });
    if (text.ends_with(".0") && std::all_of(text.begin(), text.end() - 2, is_digit))
        text.resize(text.size() - 2);
    if (!text.empty() && std::ranges::all_of(text, is_digit))
        text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
    return text;
}

std::string same_but_for_spelling(std::string_view id, const NameIndex& ids) {
    const std::string wanted = without_spelling(id);
    for (const std::string& name : ids.names()) {
        if (without_spelling(name) == wanted) return name;
    }
    return "";
}

// The first column of the node table that could have been meant: no value twice, and all of `ids`. Or "".
std::string column_with(const std::vector<std::string_view>& ids, const KnownNodes& nodes) {
    if (nodes.table_text.empty()) return "";
    CsvTable table(nodes.table_name, nodes.table_text, CsvComments::kept, nodes.control);
    table.next();
    const std::vector<std::string> names(table.fields().begin(), table.fields().end());
    std::vector<std::unordered_set<std::string>> values(names.size());
    std::vector<char> unique(names.size(), 1);
    while (table.next()) {
        for (std::size_t column = 0; column < names.size(); ++column) {
            if (unique[column] != 0 && !values[column].emplace(table.fields()[column]).second)
                unique[column] = 0;
        }
    }
    for (std::size_t column = 0; column < names.size(); ++column) {
        const auto has = [&](std::string_view id) { return values[column].contains(std::string(id)); };
        if (unique[column] != 0 && std::ranges::all_of(ids, has)) return names[column];
    }
    return "";
}

// Classes with several parts, separated by one character.
struct CompoundClasses {
    char separator = ';';
    Index nodes = 0;      // of all of them
    Index example = -1;   // the largest one
    bool repeat = false;  // at least half of the parts are met in other classes, too
};

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (const std::string& part : split_at(text, separator)) {
        if (!trimmed(part).empty()) parts.emplace_back(trimmed(part));
    }
    return parts;
}

CompoundClasses compound_classes(const std::vector<std::string>& classes, const std::vector<Index>& nodes,
                                 char separator) {
    CompoundClasses found;
    found.separator = separator;
    std::unordered_map<std::string, int> classes_with;
    const auto is_compound = [&](const std::vector<std::string>& parts, const std::string& name) {
        return parts.size() > 1 && !has_decimal_comma(name);
    };
    for (const std::string& name : classes) {
        std::vector<std::string> parts = parts_of(name, separator);
        std::ranges::sort(parts);
        const auto first = std::unique(parts.begin(), parts.end());
        parts.erase(first, parts.end());
        for (const std::string& part : parts)
            ++classes_with[part];
    }
    std::int64_t all = 0, repeated = 0;  // parts
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const std::vector<std::string> parts = parts_of(classes[c], separator);
        if (!is_compound(parts, classes[c])) continue;
        found.nodes += nodes[c];
        if (found.example < 0 || nodes[c] > nodes[found.example]) found.example = static_cast<Index>(c);
        all += std::ssize(parts);
        repeated +=
            std::ranges::count_if(parts, [&](const std::string& part) { return classes_with.at(part) > 1; });
    }
    found.repeat = 2 * repeated >= all;
    return found;
}

constexpr Index rare_class = 2;
constexpr Index common_class = 5;

std::vector<std::string> common_classes(const std::vector<std::string>& classes,
                                        const std::vector<Index>& nodes) {
    std::vector<std::string> common;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (nodes[c] >= common_class) common.push_back(classes[c]);
    }
    return common;
}

// The common class that a rare one may have been meant to be, or "". Numbered classes are no misspellings of
// each other.
std::string may_be_misspelt(const std::string& rare, const std::vector<std::string>& common) {
    const auto letters = [](std::string text) {
        std::erase_if(text, is_digit);
        return text;
    };
    constexpr std::size_t shortest = 4, longest = 100;
    if (rare.size() < shortest || rare.size() > longest) return "";
    std::string meant = nearest_name(rare, common);
    return letters(meant) == letters(rare) || without_spelling(meant) == without_spelling(rare) ? "" : meant;
}

}  // namespace

std::string column_of_names(std::string_view table_name, std::string_view table_text,
                            const std::vector<std::size_t>& taken, const ExecutionControl& control) {
    CsvTable table(table_name, table_text, CsvComments::kept, control);
    if (!table.next()) return "";
    const std::vector<std::string> names(table.fields().begin(), table.fields().end());
    std::vector<std::unordered_set<std::string>> values(names.size());
    std::vector<char> possible(names.size(), 1);
    for (const std::size_t column : taken)
        possible[column] = 0;
    const auto is_fraction = [](std::string_view text) {
        return parse_number<double>(text) && !parse_number<std::int64_t>(text);
    };
    while (table.next()) {
        for (std::size_t column = 0; column < names.size(); ++column) {
            if (possible[column] == 0) continue;
            const std::string_view text = table.fields()[column];
            if (text.empty() || stands_for_missing(text) || is_fraction(text) ||
                !values[column].emplace(text).second)
                possible[column] = 0;
        }
    }
    const auto found = std::ranges::find(possible, 1);
    return found == possible.end() ? "" : names[static_cast<std::size_t>(found - possible.begin())];
}

std::string nearest_id(std::string_view word, const NameIndex& ids) {
    // The edit distance to an overlong word would take for ever.
    constexpr std::size_t longest_word = 100;
    return word.size() <= longest_word ? nearest_name(word, ids.names()) : "";
}

void fail_unknown_id(const CsvTable& table, std::string_view id, const KnownNodes& nodes,
                     const std::vector<std::string_view>& ids, const std::string& other_hint) {
    std::string hint;
    if (const std::string same = same_but_for_spelling(id, nodes.ids); !same.empty()) {
        hint = fmt::format(", but '{}' is: ids must be written alike in all files", excerpt(same));
    } else if (const std::string column = column_with(ids, nodes); !column.empty()) {
        hint = fmt::format(", but column '{}' of {} has it: `id='{}'` takes the ids from there",
                           excerpt(column), nodes.table_name, excerpt(column));
    } else if (!other_hint.empty()) {
        hint = other_hint;
    } else if (const std::string nearest = nearest_id(id, nodes.ids); !nearest.empty()) {
        hint = fmt::format(", did you mean '{}'?", excerpt(nearest));
    }
    table.fail(fmt::format("node id '{}' is not among the {} ids of the nodes{}", excerpt(id),
                           nodes.ids.size(), hint));
}

std::string hint_at_another_file(std::size_t columns) {
    if (columns == 2) {
        return "; is this the list of edges? `edges` and `nodes` may be swapped; or has it a node and a "
               "feature per "
               "line? `features` reads these";
    }
    return columns == 3 ? "; has it a node, a feature and a value per line? `features` reads these" : "";
}

bool stands_for_missing(std::string_view text) {
    static constexpr std::array<std::string_view, 10> usual = {"NA",   "N/A", "n/a", "NULL", "null",
                                                               "None", "NaN", "nan", "NAN",  "?"};
    return std::ranges::find(usual, text) != usual.end();
}

bool looks_like_date(std::string_view text) {
    text = text.substr(0, text.find_first_of(" T"));  // without a time
    const auto digits = std::ranges::count_if(text, is_digit);
    const std::size_t separator = text.find_first_of("-./");
    return separator != std::string_view::npos && separator > 0 && digits >= 4 && digits <= 8 &&
           std::ranges::count(text, text[separator]) == 2 && digits + 2 == std::ssize(text);
}

bool has_decimal_comma(std::string_view text) {
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    const std::size_t comma = text.find(',');
    return comma != std::string_view::npos && comma > 0 && comma + 1 < text.size() &&
           std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(comma), is_digit) &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(comma) + 1, text.end(), is_digit);
}

std::int64_t line_not_utf8(std::string_view text) {
    if (std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 128; })) return 0;
    LineReader lines(text);
    while (lines.next()) {
        if (!is_utf8(lines.line())) return lines.line_number();
    }
    return 0;
}

void note_encoding(std::string_view name, std::int64_t line, std::vector<std::string>& notes) {
    if (line == 0) return;
    notes.push_back(
        fmt::format("{}:{}: is not UTF-8, so that some letters will look wrong; if it is Latin-1, iconv -f "
                    "latin1 -t utf-8 converts it",
                    name, line));
}

void note_similar_classes(std::string_view name, const std::vector<std::string>& classes,
                          const std::vector<Index>& nodes, std::vector<std::string>& notes) {
    // So many are hardly classes, and to compare the rare ones with all common ones would take long.
    if (classes.size() > usual_most_classes) return;
    std::map<std::string, std::string> first_of;
    for (const std::string& one : classes) {
        const auto [other, is_new] = first_of.emplace(without_spelling(one), one);
        if (is_new) continue;
        notes.push_back(fmt::format(
            "{}: the classes '{}' and '{}' differ only in capitals, blanks or zeros: are they the same?",
            name, excerpt(other->second), excerpt(one)));
    }
    const std::vector<std::string> common = common_classes(classes, nodes);
    for (std::size_t c = 0; c < classes.size(); ++c) {
        if (nodes[c] == 0 || nodes[c] > rare_class || first_of.at(without_spelling(classes[c])) != classes[c])
            continue;
        const std::string meant = may_be_misspelt(classes[c], common);
        if (meant.empty()) continue;
        notes.push_back(fmt::format("{}: the class '{}' has {} node{}: is it '{}', misspelt?", name,
                                    excerpt(classes[c]), nodes[c], nodes[c] == 1 ? "" : "s", excerpt(meant)));
    }
}

void note_compound_classes(std::string_view name, const std::string& remedy,
                           const std::vector<std::string>& classes, const std::vector<Index>& nodes,
                           std::vector<std::string>& notes) {
    constexpr std::int64_t good_share = 10;  // one in ten
    const Index labelled = std::accumulate(nodes.begin(), nodes.end(), Index{0});
    CompoundClasses most;
    for (const char separator : {';', '|', ','}) {
        const CompoundClasses found = compound_classes(classes, nodes, separator);
        if (found.repeat && found.nodes > most.nodes) most = found;
    }
    if (most.nodes < 2 || good_share * most.nodes < labelled) return;
    notes.push_back(
        fmt::format("{}: {} of {} labels have several parts, such as '{}': each different text is a class of "
                    "its own, {} in all; {}",
                    name, most.nodes, labelled, excerpt(classes[most.example]), classes.size(),
                    fmt::format(fmt::runtime(remedy), most.separator)));
}

std::vector<Index> class_sizes(std::size_t classes, const std::vector<Index>& labels) {
    std::vector<Index> sizes(classes, 0);
    for (const Index label : labels) {
        if (label != unlabelled) ++sizes[static_cast<std::size_t>(label)];
    }
    return sizes;
}

void note_classes(std::string_view name, const std::vector<std::string>& classes,
                  const std::vector<Index>& nodes, std::vector<std::string>& notes) {
    note_similar_classes(name, classes, nodes, notes);
    note_compound_classes(name, "`label_separator='{}'` takes the first part as the class", classes, nodes,
                          notes);
}

}  // namespace hwgcn
