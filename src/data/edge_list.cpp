#include "data/edge_list.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/support/error.hpp"

#include "data/number_text.hpp"
#include "data/text_file.hpp"
#include "data/weight_column.hpp"

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

// Names that people give to the two columns, without regard to case, blanks and underscores.
bool is_usual_column_name(std::string_view text) {
    static constexpr std::array<std::string_view, 20> usual = {
        "source",   "target",   "src",      "dst",      "from", "to",    "fromnodeid",
        "tonodeid", "sourceid", "targetid", "head",     "tail", "node1", "node2",
        "citing",   "cited",    "sender",   "receiver", "id1",  "id2"};
    std::string name = lower_case(text);
    std::erase_if(name, [](char letter) { return letter == '_' || letter == ' '; });
    return std::find(usual.begin(), usual.end(), name) != usual.end();
}

// Whether the first record names the columns, though nobody said so: usual names; with a node table, words
// that are no ids and no misspelt ones either; without one, words above numbers.
bool looks_like_header(const Ends& first, const CsvTable& first_record, const EdgeColumns& columns,
                       const IdKnowledge& ids) {
    if (is_number(first.source) || is_number(first.target)) return false;
    if (ids.is_there && (ids.has(first.source) || ids.has(first.target))) return false;
    if (is_usual_column_name(first.source) && is_usual_column_name(first.target)) return true;
    if (ids.is_there) return !ids.has_near_one(first.source) && !ids.has_near_one(first.target);
    CsvTable ahead = first_record;
    if (!ahead.next()) return false;
    const Ends second = ends_of(ahead, columns);
    return is_number(second.source) && is_number(second.target);
}

// Reads the first record, which settles the columns.
EdgeColumns read_columns(CsvTable& table, const CsvFiles& files) {
    if (!table.next()) fail_in_file(table.name(), "is empty: expected one edge per line, two node ids each");
    if (table.fields().size() < 2) table.fail("expected two columns (source and target), found 1");
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

// Types, dates, further weights. They are told by name or, without a header, by number.
void note_unused_columns(const CsvTable& first_record, const EdgeColumns& columns,
                         const WeightColumn& weights, bool has_header, bool offer_weights,
                         std::vector<std::string>& notes) {
    constexpr std::size_t most_named = 8;
    std::vector<std::string> unused;
    std::size_t unnamed = 0;
    for (std::size_t place = 0; place < first_record.fields().size(); ++place) {
        if (place == columns.source || place == columns.target || place == weights.place()) continue;
        if (unused.size() == most_named) {
            ++unnamed;
        } else {
            unused.push_back(has_header ? fmt::format("'{}'", excerpt(first_record.fields()[place]))
                                        : fmt::to_string(place + 1));
        }
    }
    if (unused.empty()) return;
    const bool several = unused.size() + unnamed > 1;
    notes.push_back(fmt::format("{}: column{} {}{} {} not used: edges are all of one kind{}",
                                first_record.name(), several ? "s" : "", fmt::join(unused, ", "),
                                unnamed > 0 ? fmt::format(" and {} more", unnamed) : "",
                                several ? "are" : "is",
                                offer_weights && !weights.place()
                                    ? fmt::format(" (`weight={}` takes it as their weights)", unused.front())
                                    : ""));
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

// `node_of` gives the node of an id, or throws; it is told the other end, too.
EdgeList parse(CsvTable table, std::string_view text, const CsvFiles& files, const IdKnowledge& ids,
               const std::function<Index(const CsvTable&, std::string_view, std::string_view)>& node_of) {
    EdgeHead head = read_edge_head(table, text, files, ids);
    EdgeList list;
    list.directed = head.directed;
    list.notes = std::move(head.notes);
    const auto add_edge = [&] {
        const std::string_view source = table.fields()[head.source];
        const std::string_view target = table.fields()[head.target];
        const Index from = node_of(table, source, target);
        const Index to = node_of(table, target, source);
        list.edges.push_back({from, to});
        if (head.weights.place()) head.weights.read(table);
    };
    if (head.first_is_edge) add_edge();
    while (table.next())
        add_edge();
    list.weights = head.weights.finish(table, list.notes);
    return list;
}

IdKnowledge knowledge_of(const NameIndex& ids) {
    return {ids.size() > 0, [&ids](std::string_view id) { return ids.find(id).has_value(); },
            [&ids](std::string_view word) { return !nearest_id(word, ids).empty(); }};
}

}  // namespace

EdgeHead read_edge_head(CsvTable& table, std::string_view text, const CsvFiles& files,
                        const IdKnowledge& ids) {
    const EdgeColumns columns = read_columns(table, files);
    const Promises promised = promises_of(text);
    WeightColumn weights = weight_column(table, columns, files, promised);
    EdgeHead head;
    head.source = columns.source;
    head.target = columns.target;
    head.directed = promised.directed;
    const bool header_given = !files.source_column.empty() || !files.target_column.empty() ||
                              (!files.weight_column.empty() && weights.is_named());
    bool is_edge = !header_given;
    if (const Ends first = ends_of(table, columns);
        is_edge && looks_like_header(first, table, columns, ids)) {
        is_edge = false;
        if (!is_usual_column_name(first.source) || !is_usual_column_name(first.target)) {
            head.notes.push_back(fmt::format("{}:{}: taken for a header: '{}', '{}'", table.name(),
                                             table.line(), excerpt(first.source), excerpt(first.target)));
        }
    }
    if (is_edge && weights.is_named()) weights = {};  // the word is an id
    note_unused_columns(table, columns, weights, !is_edge, files.weight_column != "none", head.notes);
    head.weights = std::move(weights);
    head.first_is_edge = is_edge;
    return head;
}

EdgeList parse_edge_list(std::string_view name, std::string_view text, const CsvFiles& files,
                         const KnownNodes& nodes) {
    return parse(CsvTable(name, text, CsvComments::skipped, nodes.control), text, files,
                 knowledge_of(nodes.ids),
                 [&](const CsvTable& table, std::string_view id, std::string_view other) {
                     const std::optional<Index> node = nodes.ids.find(id);
                     if (!node) fail_unknown_id(table, id, nodes, {id, other});
                     return *node;
                 });
}

EdgeList parse_edge_list_alone(std::string_view name, std::string_view text, const CsvFiles& files,
                               NameIndex& ids, const ExecutionControl& control) {
    EdgeList list = parse(CsvTable(name, text, CsvComments::skipped, control), text, files, {},
                          [&](const CsvTable& table, std::string_view id, std::string_view) {
                              if (id.empty()) table.fail("a node id is empty");
                              return ids.add(id).first;
                          });
    if (list.edges.empty()) fail_in_file(name, "has no edges, and there is no node table to say the nodes");
    return list;
}

}  // namespace hwgcn
