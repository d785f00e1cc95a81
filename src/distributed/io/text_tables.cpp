#include "distributed/io/text_tables.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/text_file.hpp"
#include "distributed/io/peer_pieces.hpp"
#include "distributed/io/peer_texts.hpp"
#include "io/csv/edge_list.hpp"
#include "io/csv/feature_list.hpp"
#include "io/csv/label_column.hpp"
#include "io/csv/node_table.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t no_header = 0;
constexpr Index unknown_node = -1;

// The file from its beginning, as a table that is read in pieces.
CsvTable table_of(const TextPieces& text, std::string_view head, CsvComments comments,
                  const ExecutionControl& control) {
    return {CsvTable(text.name(), head, comments, control), head, 1};
}

// Calls use(record) for each record of the own piece but the header.
template <typename Use>
void for_each_record(const TextPieces& text, const CsvTable& head, std::int64_t header_line, const Use& use) {
    CsvTable table(head, text.piece(), text.line());
    while (table.next()) {
        if (table.line() != header_line) use(table);
    }
}

// The same for all processes together. Where one of them finds a fault, the others look through the rest of
// their lines, so that the fault that is reported is the first in the file.
template <typename Use>
void read_round(Peers& peers, TextPieces& text, const CsvTable& head, std::int64_t header_line,
                const Use& use) {
    std::exception_ptr fault;
    try {
        for_each_record(text, head, header_line, use);
    } catch (const Error&) {
        fault = std::current_exception();
    }
    if (!any(peers, fault != nullptr)) return;
    do_together(peers, [&] {
        if (fault) std::rethrow_exception(fault);
        while (text.next())
            for_each_record(text, head, header_line, use);
    });
}

std::pair<Index, Index> node_of_entry(const Triplet<float>& entry) {
    return {entry.row, entry.row};
}

// Throws for the first id of the piece that nobody has. `fields` are those that were asked for, of each
// record.
template <std::size_t Count>
void expect_known(const TextPieces& text, const CsvTable& head, std::int64_t header_line,
                  const std::array<std::size_t, Count>& fields, const std::vector<Index>& nodes,
                  std::int64_t known) {
    const auto bad = std::ranges::find(nodes, unknown_node);
    if (bad == nodes.end()) return;
    const auto place = static_cast<std::size_t>(bad - nodes.begin());
    std::size_t record = 0;
    for_each_record(text, head, header_line, [&](const CsvTable& table) {
        if (record++ != place / Count) return;
        table.fail(fmt::format("node id '{}' is not among the {} ids of the nodes",
                               excerpt(table.fields()[fields[place % Count]]), known));
    });
}

// The edge file up to its first record.
class EdgeFile {
  public:
    EdgeFile(const TextReading& reading, const IdKnowledge& ids)
        : text_(reading.files.edges, reading.piece_bytes, reading.peers),
          head_text_(text_.head(CsvComments::skipped, records_of_edge_head)),
          table_(table_of(text_, head_text_, CsvComments::skipped, reading.control)),
          head_(read_edge_head(table_, head_text_, reading.files, ids)) {}

    TextPieces& text() { return text_; }
    EdgeHead& head() { return head_; }
    const CsvTable& table() const { return table_; }
    std::int64_t header_line() const { return head_.first_is_edge ? no_header : table_.line(); }

  private:
    TextPieces text_;
    std::string head_text_;
    CsvTable table_;
    EdgeHead head_;
};

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
    : reading_(reading),
      text_(reading.files.nodes, reading.piece_bytes, reading.peers),
      head_text_(text_.head(CsvComments::kept, 1)),
      head_(table_of(text_, head_text_, CsvComments::kept, reading.control)) {}

NodeShare TextNodeTable::read(PeerIds& ids) {
    Peers& peers = reading_.peers;
    PeerPieces pieces(peers);
    NodeShare share;
    const NodeColumns columns = read_node_header(head_, reading_.files);
    columns_.emplace(head_, columns.taken(), reading_.files);
    note_other_labels(text_.name(), columns, reading_.files, share.notes);
    LabelColumn labels(reading_.files);
    while (text_.next_round(peers)) {
        read_round(peers, text_, head_, head_.line(), [&](const CsvTable& record) {
            const std::string_view id = id_of_record(record, columns);
            ids.add(id, record.line());
            (share.ids.lines += id) += '\n';
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
    columns_->decide(head_, share.notes);
    share.feature_names = columns_->feature_names();
    share.feature_kinds = columns_->feature_kinds();
    return share;
}

void TextNodeTable::send_features(Index first_own, PartMail<Triplet<float>>& mail, const TextParts& parts) {
    text_.rewind();
    Index node = first_own;
    CsrMatrix<float> row;
    while (text_.next_round(reading_.peers)) {
        read_round(reading_.peers, text_, head_, head_.line(), [&](const CsvTable& record) {
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
    EdgeFile file(reading, {});
    while (file.text().next_round(reading.peers)) {
        const auto add_ends = [&](const CsvTable& record) {
            for (const std::size_t column : {file.head().source, file.head().target}) {
                if (record.fields()[column].empty()) record.fail("a node id is empty");
                ids.add(record.fields()[column], record.line());
            }
        };
        read_round(reading.peers, file.text(), file.table(), file.header_line(), add_ends);
        ids.send();
    }
    NodeShare share;
    share.ids = ids.number_first_appearances();
    share.labels.assign(static_cast<std::size_t>(share.ids.count), unlabelled);
    if (ids.size() == 0)
        fail_in_file(file.text().name(), "has no edges, and there is no node table to say the nodes");
    return share;
}

TextEdgeFacts send_edges(const TextReading& reading, PeerIds& ids, PartMail<TextEdge>& mail,
                         const TextParts& parts) {
    EdgeFile file(reading, reading.files.nodes.empty() ? IdKnowledge{} : knowledge_of_all(ids));
    EdgeHead& head = file.head();
    const std::array<std::size_t, 2> ends = {head.source, head.target};
    std::vector<float> weights;  // of the piece
    while (file.text().next_round(reading.peers)) {
        weights.clear();
        const auto ask_for_ends = [&](const CsvTable& record) {
            for (const std::size_t column : ends)
                ids.ask(record.fields()[column]);
            if (head.weights.place()) head.weights.read(record);
            weights.push_back(head.weights.place() ? head.weights.latest() : 1.0F);
        };
        read_round(reading.peers, file.text(), file.table(), file.header_line(), ask_for_ends);
        const std::vector<Index> nodes = ids.answers();
        do_together(reading.peers, [&] {
            expect_known(file.text(), file.table(), file.header_line(), ends, nodes, ids.size());
        });
        for (std::size_t e = 0; e < weights.size(); ++e) {
            const TextEdge edge{nodes[2 * e], nodes[2 * e + 1], weights[e]};
            const int one = parts.owner_of(edge.from);
            const int other = parts.owner_of(edge.to);
            mail.put(one, edge);
            if (other != one) mail.put(other, edge);
        }
        mail.deliver([](const TextEdge& edge) { return std::pair(edge.from, edge.to); });
    }
    TextEdgeFacts facts{head.directed, false, file.text().bytes(), std::move(head.notes)};
    PeerPieces pieces(reading.peers);
    head.weights.join(pieces);
    facts.weighted = head.weights.finish(file.table(), facts.notes).has_value();
    return facts;
}

std::vector<std::string> send_listed_features(const TextReading& reading, PeerIds& ids, Index first_feature,
                                              PartMail<Triplet<float>>& mail, const TextParts& parts,
                                              std::int64_t& bytes) {
    TextPieces text(reading.files.features, reading.piece_bytes, reading.peers);
    bytes = text.bytes();
    const std::string head_text = text.head(CsvComments::skipped, 1);
    CsvTable head = table_of(text, head_text, CsvComments::skipped, reading.control);
    read_feature_head(head);
    ids.ask(head.fields()[0]);
    const bool known = ids.answers().front() != unknown_node;
    const std::int64_t header_line = is_feature_header(head, known) ? head.line() : no_header;
    NameIndex names;
    std::vector<Triplet<float>> entries;  // with own numbers of features, until all names are known
    while (text.next_round(reading.peers)) {
        const std::size_t before = entries.size();
        read_round(reading.peers, text, head, header_line, [&](const CsvTable& record) {
            ids.ask(record.fields()[0]);
            const Index feature = names.add(feature_named(record)).first;
            entries.push_back({unknown_node, feature, feature_value(record)});
        });
        const std::vector<Index> nodes = ids.answers();
        do_together(reading.peers, [&] {
            expect_known(text, head, header_line, std::array<std::size_t, 1>{0}, nodes, ids.size());
        });
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
