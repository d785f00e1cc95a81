#include "distributed/io/text_tables.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/text_file.hpp"
#include "distributed/io/peer_pieces.hpp"
#include "distributed/io/peer_texts.hpp"
#include "io/csv/edge_list.hpp"
#include "io/csv/feature_list.hpp"
#include "io/csv/label_column.hpp"
#include "io/csv/node_table.hpp"

namespace hwgcn {
namespace {

constexpr Index unknown_node = -1;

std::pair<Index, Index> node_of_entry(const Triplet<float>& entry) {
    return {entry.row, entry.row};
}

// Throws for the first id of the piece that nobody has. `fields` are those that were asked for, of each
// record.
template <std::size_t Count>
void expect_known(const TextPieces& text, const std::array<std::size_t, Count>& fields,
                  const std::vector<Index>& nodes, std::int64_t known) {
    const auto bad = std::ranges::find(nodes, unknown_node);
    if (bad == nodes.end()) return;
    const auto place = static_cast<std::size_t>(bad - nodes.begin());
    std::size_t record = 0;
    text.for_each_record([&](const CsvTable& table) {
        if (record++ != place / Count) return;
        table.fail(fmt::format("node id '{}' is not among the {} ids of the nodes",
                               excerpt(table.fields()[fields[place % Count]]), known));
    });
}

// Reads what the first records of an edge file settle.
EdgeHead edge_head(TextPieces& text, const TextReading& reading, const IdKnowledge& ids) {
    EdgeHead head = read_edge_head(text.head(), text.head_text(), reading.files, ids);
    if (!head.first_is_edge) text.leave_out_header();
    return head;
}

IdKnowledge knowledge_of_all(PeerIds& ids) {
    return {true,
            [&ids](std::string_view id) {
                ids.ask(id);
                return ids.answers().front() != unknown_node;
            },
            [&ids](std::string_view word) { return ids.has_near_one(word); }};
}

[[noreturn]] void fail_twice(const TextPieces& text, const PeerIds::Twice& twice, std::size_t columns) {
    fail_at_line(text.name(), twice.line,
                 fmt::format("id '{}' is given twice, first on line {}{}", excerpt(twice.id),
                             twice.first_line, hint_at_another_file(columns)));
}

}  // namespace

TextNodeTable::TextNodeTable(const TextReading& reading)
    : reading_(reading), text_(reading, reading.files.nodes, CsvComments::kept, 1) {}

NodeShare TextNodeTable::read(PeerIds& ids) {
    Peers& peers = reading_.peers;
    PeerPieces pieces(peers);
    NodeShare share;
    const NodeColumns columns = read_node_header(text_.head(), reading_.files);
    text_.leave_out_header();
    columns_.emplace(text_.head(), columns.taken(), reading_.files);
    note_other_labels(text_.name(), columns, reading_.files, share.notes);
    LabelColumn labels(reading_.files);
    while (text_.next_round()) {
        text_.read_round([&](const CsvTable& record) {
            const std::string_view id = id_of_record(record, columns);
            ids.add(id, record.line());
            (share.ids.texts += id) += end_of_text;
            ++share.ids.count;
            labels.add(record, columns.label ? record.fields()[*columns.label] : std::string_view());
            columns_->look_at(record);
        });
        ids.send();
    }
    const std::optional<PeerIds::Twice> twice = ids.number_records();
    if (twice) fail_twice(text_, *twice, columns.names.size());
    if (ids.size() == 0) fail_in_file(text_.name(), "has a header line but no nodes");
    share.ids.first = ids.first();
    labels.join(pieces);
    EncodedLabels encoded = labels.encode(text_.name(), share.notes);
    share.labels = std::move(encoded.labels);
    share.class_names = std::move(encoded.class_names);
    columns_->join(pieces);
    columns_->decide(text_.head(), share.notes);
    share.feature_names = columns_->feature_names();
    share.feature_kinds = columns_->feature_kinds();
    return share;
}

void TextNodeTable::send_features(Index first_own, PartMail<Triplet<float>>& mail, const TextParts& parts) {
    text_.rewind();
    Index node = first_own;
    CsrMatrix<float> row;
    while (text_.next_round()) {
        text_.read_round([&](const CsvTable& record) {
            row.indices.clear();
            row.values.clear();
            row.offsets.clear();
            columns_->encode(record, row);
            const int owner = parts.owner_of(node);
            for (std::size_t e = 0; e < row.indices.size(); ++e)
                mail.put(owner, {node, row.indices[e], row.values[e]});
            ++node;
        });
        mail.deliver(node_of_entry);
    }
}

NodeShare read_nodes_of_edges(const TextReading& reading, PeerIds& ids) {
    TextPieces text(reading, reading.files.edges, CsvComments::skipped, records_of_edge_head);
    const EdgeHead head = edge_head(text, reading, {});
    while (text.next_round()) {
        text.read_round([&](const CsvTable& record) {
            for (const std::size_t column : {head.source, head.target}) {
                if (record.fields()[column].empty()) record.fail("a node id is empty");
                ids.add(record.fields()[column], record.line());
            }
        });
        ids.send();
    }
    NodeShare share;
    share.ids = ids.number_first_appearances();
    share.labels.assign(static_cast<std::size_t>(share.ids.count), unlabelled);
    if (ids.size() == 0)
        fail_in_file(text.name(), "has no edges, and there is no node table to say the nodes");
    return share;
}

TextEdgeFacts send_edges(const TextReading& reading, PeerIds& ids, PartMail<TextEdge>& mail,
                         const TextParts& parts) {
    TextPieces text(reading, reading.files.edges, CsvComments::skipped, records_of_edge_head);
    EdgeHead head =
        edge_head(text, reading, reading.files.nodes.empty() ? IdKnowledge{} : knowledge_of_all(ids));
    const std::array<std::size_t, 2> ends = {head.source, head.target};
    std::vector<float> weights;  // of the piece
    while (text.next_round()) {
        weights.clear();
        text.read_round([&](const CsvTable& record) {
            for (const std::size_t column : ends)
                ids.ask(record.fields()[column]);
            if (head.weights.place()) head.weights.read(record);
            weights.push_back(head.weights.place() ? head.weights.latest() : 1.0F);
        });
        const std::vector<Index> nodes = ids.answers();
        do_together(reading.peers, [&] { expect_known(text, ends, nodes, ids.size()); });
        for (std::size_t e = 0; e < weights.size(); ++e) {
            const TextEdge edge{nodes[2 * e], nodes[2 * e + 1], weights[e]};
            const int one = parts.owner_of(edge.from);
            const int other = parts.owner_of(edge.to);
            mail.put(one, edge);
            if (other != one) mail.put(other, edge);
        }
        mail.deliver([](const TextEdge& edge) { return std::pair(edge.from, edge.to); });
    }
    TextEdgeFacts facts{head.directed, false, text.bytes(), std::move(head.notes)};
    PeerPieces pieces(reading.peers);
    head.weights.join(pieces);
    facts.weighted = head.weights.finish(text.head(), facts.notes).has_value();
    return facts;
}

std::vector<std::string> send_listed_features(const TextReading& reading, PeerIds& ids, Index first_feature,
                                              PartMail<Triplet<float>>& mail, const TextParts& parts,
                                              std::int64_t& bytes) {
    TextPieces text(reading, reading.files.features, CsvComments::skipped, 1);
    bytes = text.bytes();
    read_feature_head(text.head());
    ids.ask(text.head().fields()[0]);
    const bool known = ids.answers().front() != unknown_node;
    if (is_feature_header(text.head(), known)) text.leave_out_header();
    NameIndex names;
    std::vector<Triplet<float>> entries;  // with own numbers of features, until all names are known
    while (text.next_round()) {
        const std::size_t before = entries.size();
        text.read_round([&](const CsvTable& record) {
            ids.ask(record.fields()[0]);
            const Index feature = names.add(feature_named(record)).first;
            entries.push_back({unknown_node, feature, feature_value(record)});
        });
        const std::vector<Index> nodes = ids.answers();
        do_together(reading.peers,
                    [&] { expect_known(text, std::array<std::size_t, 1>{0}, nodes, ids.size()); });
        for (std::size_t e = before; e < entries.size(); ++e)
            entries[e].row = nodes[e - before];
    }
    const std::vector<Index> numbers = PeerPieces(reading.peers).join_names(names);
    if (first_feature > std::numeric_limits<Index>::max() - names.size())
        throw InputError("more than 2147483647 features");
    const std::size_t slice = reading.piece_bytes / sizeof(Triplet<float>) + 1;
    for (std::size_t place = 0; any(reading.peers, place < entries.size());) {
        for (std::size_t end = std::min(entries.size(), place + slice); place < end; ++place) {
            const Triplet<float>& entry = entries[place];
            mail.put(parts.owner_of(entry.row),
                     {entry.row, first_feature + numbers[entry.column], entry.value});
        }
        mail.deliver(node_of_entry);
    }
    return names.names();
}

}  // namespace hwgcn
