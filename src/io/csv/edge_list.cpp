#include "io/csv/edge_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/csv/weight_column.hpp"

namespace hwgcn {
namespace {

struct EdgeColumns {
    std::size_t source = 0;
    std::size_t target = 1;
};

// The two ids of a record, copied because the table moves on.
struct Ends {
    std::string source;
    std::string target;
};

Ends ends_of(const CsvTable& table, const EdgeColumns& columns) {
    return {std::string(table.fields()[columns.source]), std::string(table.fields()[columns.target])};
}

bool is_number(std::string_view text) {
    return parse_number<double>(text).has_value();
}

std::string without_blanks(std::string_view text) {
    std::string name = lower_case(text);
    std::erase_if(name, [](char letter) { return letter == '_' || letter == ' '; });
    return name;
}

template <std::size_t Count>
bool has(const std::array<std::string_view, Count>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

// Names that people give to the two columns. Of some nobody can say which end they are.
bool is_usual_column_name(std::string_view text) {
    static constexpr std::array<std::string_view, 6> either = {"head",  "tail", "node1",
                                                               "node2", "id1",  "id2"};
    return end_called(text) != EdgeEnd::unknown || has(either, without_blanks(text));
}

// Whether the first record names the columns, though nobody said so: usual names; with a node table, words
// that are no ids and no misspelt ones either; without one, words above numbers.
bool looks_like_header(const Ends& first, const CsvTable& first_record, const EdgeColumns& columns,
                       NodeSearch& nodes) {
    if (is_number(first.source) || is_number(first.target)) return false;
    if (nodes.has_table() && (nodes.has(first.source) || nodes.has(first.target))) return false;
    if (is_usual_column_name(first.source) && is_usual_column_name(first.target)) return true;
    if (nodes.has_table()) return !nodes.has_near_one(first.source) && !nodes.has_near_one(first.target);
    CsvTable ahead = first_record;
    if (!ahead.next()) return false;
    const Ends second = ends_of(ahead, columns);
    return is_number(second.source) && is_number(second.target);
}

// The ends by their names: of the first two columns, or of one of these and another one.
std::optional<EdgeColumns> columns_by_name(const CsvTable& header) {
    std::vector<std::size_t> sources, targets;
    for (std::size_t place = 0; place < header.fields().size(); ++place) {
        const EdgeEnd end = end_called(header.fields()[place]);
        if (end == EdgeEnd::source) sources.push_back(place);
        if (end == EdgeEnd::target) targets.push_back(place);
    }
    if (sources.empty() || targets.empty()) return std::nullopt;
    const bool both_in_front = sources.front() < 2 && targets.front() < 2;
    const bool clear = sources.size() == 1 && targets.size() == 1;
    const bool one_in_front = std::min(sources.front(), targets.front()) < 2;
    if (!both_in_front && !(clear && one_in_front)) return std::nullopt;
    return EdgeColumns{sources.front(), targets.front()};
}

// As they were asked for, or else the first two.
EdgeColumns given_columns(const CsvTable& table, const CsvFiles& files) {
    EdgeColumns columns;
    if (!files.source_column.empty()) columns.source = find_column(table, files.source_column);
    if (!files.target_column.empty()) columns.target = find_column(table, files.target_column);
    if (columns.source == columns.target) {
        table.fail(fmt::format("column '{}' cannot be both source and target",
                               excerpt(table.fields()[columns.source])));
    }
    return columns;
}

// What a file says of itself in its first line: "# directed", "# weighted", or both.
struct Promises {
    bool directed = false;
    bool weighted = false;
};

Promises promises_of(std::string_view text) {
    LineReader lines(text);
    if (!lines.next() || !lines.line().starts_with('#')) return {};
    const std::string words = lower_case(trimmed(lines.line().substr(1)));
    const bool both = words == "directed, weighted";
    return {both || words == "directed", both || words == "weighted"};
}

// The columns of the ends. Where nobody has named them and a header does, its names count; but the two first
// columns of edges without directions may as well be swapped.
EdgeColumns settle_columns(const CsvTable& table, const CsvFiles& files, bool directed, NodeSearch& nodes,
                           std::vector<std::string>& notes) {
    const EdgeColumns given = given_columns(table, files);
    if (!files.source_column.empty() || !files.target_column.empty()) return given;
    const std::optional<EdgeColumns> named = columns_by_name(table);
    if (!named) return given;
    const bool in_front = named->source + named->target == 1;
    if (in_front && (named->source == given.source || !directed)) return given;
    if (!looks_like_header(ends_of(table, *named), table, *named, nodes)) return given;
    notes.push_back(
        fmt::format("{}: edges {} column '{}' {} column '{}', by their names; `source` and `target` name "
                    "others",
                    table.name(), directed ? "lead from" : "join", excerpt(table.fields()[named->source]),
                    directed ? "to" : "and", excerpt(table.fields()[named->target])));
    return *named;
}

// Which columns hold numbers that may be weights in all of the first records.
std::vector<char> columns_of_weights(const CsvTable& first_record, bool has_header) {
    CsvTable ahead = first_record;
    std::vector<char> possible(first_record.fields().size(), 0);
    const auto look = [&](std::size_t column) {
        const std::optional<float> number = parse_number<float>(ahead.fields()[column]);
        return number && std::isfinite(*number) && *number >= 0;
    };
    try {
        for (int records = 1; records < records_of_edge_head; ++records) {
            if ((has_header || records > 1) && !ahead.next()) break;
            for (std::size_t column = 0; column < possible.size(); ++column)
                possible[column] = static_cast<char>((records == 1 || possible[column] != 0) && look(column));
        }
    } catch (const InputError&) {  // told when the line is read
    }
    return possible;
}

// Types, dates, further weights. They are told by name or, without a header, by number.
void note_unused_columns(const CsvTable& first_record, const EdgeColumns& columns,
                         const WeightColumn& weights, bool has_header, bool offer_weights,
                         std::vector<std::string>& notes) {
    constexpr std::size_t most_named = 8;
    const bool may_offer = offer_weights && !weights.place();
    std::vector<char> possible(first_record.fields().size(), 0);
    if (may_offer && first_record.fields().size() > 2)
        possible = columns_of_weights(first_record, has_header);
    std::vector<std::string> unused;
    std::string offered;
    std::size_t unnamed = 0;
    for (std::size_t place = 0; place < first_record.fields().size(); ++place) {
        if (place == columns.source || place == columns.target || place == weights.place()) continue;
        const std::string name = has_header ? fmt::format("'{}'", excerpt(first_record.fields()[place]))
                                            : fmt::to_string(place + 1);
        if (possible[place] != 0 && offered.empty()) offered = name;
        if (unused.size() == most_named) {
            ++unnamed;
        } else {
            unused.push_back(name);
        }
    }
    if (unused.empty()) return;
    const bool several = unused.size() + unnamed > 1;
    notes.push_back(
        fmt::format("{}: column{} {}{} {} not used: edges are all of one kind{}", first_record.name(),
                    several ? "s" : "", fmt::join(unused, ", "),
                    unnamed > 0 ? fmt::format(" and {} more", unnamed) : "", several ? "are" : "is",
                    offered.empty() ? "" : fmt::format(" (`weight={}` takes it as their weights)", offered)));
}

WeightColumn weight_column(const CsvTable& first_record, const EdgeColumns& columns, const CsvFiles& files,
                           const Promises& promised) {
    WeightColumn weights(first_record, files.weight_column, promised.weighted);
    const bool is_end = weights.place() == columns.source || weights.place() == columns.target;
    if (is_end && !files.weight_column.empty()) {
        first_record.fail(fmt::format("column '{}' cannot be both an end of the edges and their weight",
                                      excerpt(files.weight_column)));
    }
    return is_end ? WeightColumn() : weights;
}

// Two columns that have ids of nodes, where those that were taken have not: "hosts,a,b". What to do about it,
// or "".
std::string hint_at_other_ends(const CsvTable& table, const EdgeHead& head, const NameIndex& ids) {
    if (!head.header.empty() && is_usual_column_name(head.header[head.source]) &&
        is_usual_column_name(head.header[head.target]))
        return "";
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < table.fields().size() && places.size() < 2; ++place) {
        if (place != head.weights.place() && ids.find(table.fields()[place])) places.push_back(place);
    }
    if (places.size() < 2) return "";
    if (head.header.empty()) {
        return fmt::format(
            ", but columns {} and {} have such ids: with a header line, `source` and `target` name them",
            places[0] + 1, places[1] + 1);
    }
    return fmt::format(
        ", but columns '{0}' and '{1}' have such ids: `source='{0}'` and `target='{1}'` take the ends "
        "from there",
        excerpt(head.header[places[0]]), excerpt(head.header[places[1]]));
}

EdgeList parse(WholeTable& text, const CsvFiles& files, NodeSearch& nodes) {
    std::vector<Edge> edges;
    EdgeHead head = read_edge_head(text, files, nodes);
    EdgeList list =
        read_edges(text, std::move(head), nodes, [&](const Edge& edge, float) { edges.push_back(edge); });
    list.edges = std::move(edges);
    return list;
}

}  // namespace

EdgeEnd end_called(std::string_view column) {
    static constexpr std::array<std::string_view, 8> sources = {"source",   "src",    "from",   "fromnodeid",
                                                                "sourceid", "fromid", "citing", "sender"};
    static constexpr std::array<std::string_view, 8> targets = {"target",   "dst",  "to",    "tonodeid",
                                                                "targetid", "toid", "cited", "receiver"};
    const std::string name = without_blanks(column);
    return has(sources, name) ? EdgeEnd::source : has(targets, name) ? EdgeEnd::target : EdgeEnd::unknown;
}

EdgeHead read_edge_head(TableSource& text, const CsvFiles& files, NodeSearch& nodes) {
    CsvTable& table = text.head();
    if (!table.next()) fail_in_file(table.name(), "is empty: expected one edge per line, two node ids each");
    if (table.fields().size() < 2) table.fail("expected two columns (source and target), found 1");
    const Promises promised = promises_of(text.head_text());
    const bool directed =
        files.directions == Directions::as_found ? promised.directed : files.directions == Directions::kept;
    std::vector<std::string> notes;
    const EdgeColumns columns = settle_columns(table, files, directed, nodes, notes);
    WeightColumn weights = weight_column(table, columns, files, promised);
    EdgeHead head;
    head.notes = std::move(notes);
    head.source = columns.source;
    head.target = columns.target;
    head.directed = promised.directed;
    const bool header_given = !files.source_column.empty() || !files.target_column.empty() ||
                              (!files.weight_column.empty() && weights.is_named());
    bool is_edge = !header_given;
    if (const Ends first = ends_of(table, columns);
        is_edge && looks_like_header(first, table, columns, nodes)) {
        is_edge = false;
        if (!is_usual_column_name(first.source) || !is_usual_column_name(first.target)) {
            head.notes.push_back(fmt::format("{}:{}: taken for a header: '{}', '{}'", table.name(),
                                             table.line(), excerpt(first.source), excerpt(first.target)));
        }
    }
    if (is_edge && weights.is_named()) weights = {};  // the word is an id
    note_unused_columns(table, columns, weights, !is_edge, files.weight_column != "none", head.notes);
    head.weights = std::move(weights);
    if (is_edge) return head;
    head.header.assign(table.fields().begin(), table.fields().end());
    text.leave_out_header();
    return head;
}

EdgeList read_edges(TableSource& text, EdgeHead head, NodeSearch& nodes,
                    const std::function<void(const Edge&, float)>& take,
                    const std::function<void()>& end_piece) {
    EdgeList list;
    list.directed = head.directed;
    list.notes = std::move(head.notes);
    const bool has_weights = head.weights.place().has_value();
    if (!head.header.empty()) {
        list.columns = {head.header[head.source], head.header[head.target]};
        if (has_weights) list.columns.push_back(head.header[*head.weights.place()]);
    }
    const std::array<std::size_t, 2> ends = {head.source, head.target};
    const NodeSearch::Hint hint = [&](const CsvTable& record, const NameIndex& ids) {
        return hint_at_other_ends(record, head, ids);
    };
    std::vector<float> weights;  // of the piece
    const auto read = [&](const CsvTable& record) {
        nodes.ask(record, ends, hint);
        if (has_weights) weights.push_back(head.weights.read(record));
    };
    text.read(read, [&] {
        const std::vector<Index> found = nodes.answers();
        for (std::size_t e = 0; 2 * e < found.size(); ++e)
            take({found[2 * e], found[2 * e + 1]}, has_weights ? weights[e] : 1.0F);
        weights.clear();
        end_piece();
    });
    head.weights.join(text.pieces());
    std::optional<std::vector<float>> all = head.weights.finish(text.head(), list.notes);
    list.weighted = all.has_value();
    list.weights = std::move(all).value_or(std::vector<float>());
    return list;
}

EdgeList parse_edge_list(std::string_view name, std::string_view text, const CsvFiles& files,
                         const KnownNodes& nodes) {
    WholeTable table(name, text, CsvComments::skipped, nodes.control);
    KnownSearch search(nodes);
    return parse(table, files, search);
}

EdgeList parse_edge_list_alone(std::string_view name, std::string_view text, const CsvFiles& files,
                               NameIndex& ids, const ExecutionControl& control) {
    WholeTable table(name, text, CsvComments::skipped, control);
    GrowingSearch search(ids);
    EdgeList list = parse(table, files, search);
    if (list.edges.empty()) fail_in_file(name, no_edges);
    return list;
}

}  // namespace hwgcn
