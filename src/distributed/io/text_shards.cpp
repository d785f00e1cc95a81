#include "distributed/io/text_shards.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"

#include "base/fail.hpp"
#include "base/stopping.hpp"
#include "base/text_file.hpp"
#include "dataset/table_column.hpp"
#include "distributed/io/peer_ids.hpp"
#include "distributed/io/peer_texts.hpp"
#include "distributed/io/shards_together.hpp"
#include "distributed/io/text_moves.hpp"
#include "distributed/io/text_pieces.hpp"
#include "io/csv/edge_list.hpp"
#include "io/csv/feature_list.hpp"
#include "io/csv/node_table.hpp"
#include "io/merged_edges.hpp"
#include "io/shards/shard_edges.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

/// Tables on their way from text to parts.
class TextSharding {
  public:
    TextSharding(const CsvFiles& files, const TextShardOptions& options, Peers& peers,
                 const ExecutionControl& control)
        : files_(files),
          options_(options),
          peers_(peers),
          reading_{files, options.piece_bytes, peers, control} {}

    TextShards run() {
        // The first process holds the folder for all, until the end.
        do_together(peers_, [&] {
            if (peers_.rank() == 0) folder_.emplace(options_.out, options_.old);
        });
        unpack();
        read_nodes();
        read_edges();
        read_features();
        settle_weights();
        note_what_was_read();
        if (options_.find_order) reorder();
        build_features();
        write_parts();
        return std::move(result_);
    }

  private:
    void unpack();
    void read_nodes();
    void read_nodes_of_edges();
    void take_nodes(OwnIds own, NodeFacts facts);
    void read_edges();
    void read_features();
    void settle_weights();
    void note_what_was_read();
    void reorder();
    void build_features();
    void write_parts();

    Index block_size() const {
        return options_.block_size > 0 ? options_.block_size : usual_block_size(outline_.nodes);
    }
    Spill spill(const std::string& name) const {
        if (options_.memory == 0) return {};
        return {options_.out / shard_file::building, name, static_cast<std::size_t>(options_.memory / 2)};
    }
    bool is_left_out(const TextEdge& edge) const { return zeros_left_out_ && edge.weight == 0.0F; }
    bool is_constant() const;
    void expect_light_edges(const std::function<void()>& work) const;
    EdgeRepeats count_repeated() const;
    void build_edges(ShardPart& part);

    const CsvFiles& files_;
    const TextShardOptions& options_;
    Peers& peers_;
    TextReading reading_;
    PeerIds ids_{peers_, files_.nodes.empty() ? PeerIds::Ids::may_repeat : PeerIds::Ids::once};
    Dataset outline_;  // all but rows and lists
    std::unique_ptr<const TextParts> parts_;
    std::optional<PartMail<TextEdge>> edges_;
    std::optional<PartMail<Triplet<float>>> entries_;
    std::string own_ids_;                             // of the nodes of own parts
    std::vector<Index> own_labels_;                   // of the nodes of own parts
    std::array<std::int64_t, 3> line_not_utf8_ = {};  // of edges, nodes and features
    bool zeros_left_out_ = false;                     // a column of weights was read
    bool weighted_ = false;
    std::vector<CsrMatrix<float>> features_;  // of own parts
    TextShards result_;
    std::optional<ShardFolder> folder_;  // of the first process
};

// What can be read only from its beginning is unpacked into the folder, where all read their ranges of it.
void TextSharding::unpack() {
    std::string unpacked;  // one letter per file
    const std::array<fs::path, 3> files = {files_.edges, files_.nodes, files_.features};
    const fs::path folder = options_.out / shard_file::building;
    const auto target = [&](std::size_t file) { return folder / fmt::format("unpacked-{}", file); };
    do_together(peers_, [&] {
        for (std::size_t k = 0; folder_ && k < files.size(); ++k) {
            const bool done = !files[k].empty() && unpack_text(files[k], target(k), reading_.control);
            unpacked += done ? 'y' : 'n';
        }
    });
    unpacked = share_texts(peers_, unpacked).front();
    for (std::size_t k = 0; k < files.size(); ++k) {
        if (unpacked[k] == 'y') reading_.unpacked[files[k]] = target(k);
    }
}

void TextSharding::read_nodes() {
    outline_.name = name_of_file(files_.edges);
    outline_.source = files_.edges.string();
    outline_.scale = options_.scale;
    if (files_.nodes.empty()) return read_nodes_of_edges();
    TextPieces text(reading_, files_.nodes, CsvComments::kept, 1);
    result_.bytes += text.bytes();
    NodeRecords records(text, files_);
    NodeFacts facts = records.read(ids_);
    line_not_utf8_[1] = text.line_not_utf8();
    OwnIds own = ids_.take_own();
    Index node = own.first;
    take_nodes(std::move(own), std::move(facts));
    if (outline_.features.columns == 0) return;
    const auto send = [&](const CsrMatrix<float>& row) {
        const int owner = parts_->owner_of(node);
        for (std::size_t e = 0; e < row.indices.size(); ++e)
            entries_->put(owner, {node, row.indices[e], row.values[e]});
        ++node;
    };
    records.read_features(send, [&] { entries_->deliver(node_of_entry); });
}

// They are numbered as they appear.
void TextSharding::read_nodes_of_edges() {
    TextPieces text(reading_, files_.edges, CsvComments::skipped, records_of_edge_head);
    const EdgeHead head = read_edge_head(text, files_, ids_);
    const auto add_ends = [&](const CsvTable& record) {
        for (const std::size_t column : {head.source, head.target})
            ids_.add(record, id_in(record, column));
    };
    text.read(add_ends, [&] { ids_.end_piece(); });
    OwnIds own = ids_.number_first_appearances();
    if (ids_.size() == 0) fail_in_file(files_.edges.string(), no_edges);
    NodeFacts facts;
    facts.classes.labels.assign(static_cast<std::size_t>(own.count), unlabelled);
    take_nodes(std::move(own), std::move(facts));
}

// Ids and labels go to the processes that write them.
void TextSharding::take_nodes(OwnIds own, NodeFacts facts) {
    outline_.nodes = static_cast<Index>(ids_.size());
    outline_.class_names = std::move(facts.classes.class_names);
    outline_.feature_names = std::move(facts.feature_names);
    outline_.feature_kinds = std::move(facts.feature_kinds);
    outline_.features.columns = static_cast<Index>(outline_.feature_names.size());
    outline_.notes = std::move(facts.notes);
    parts_ = std::make_unique<const TextParts>(even_blocks(outline_.nodes, block_size()), peers_);
    edges_.emplace(peers_, *parts_, spill("edges"));
    entries_.emplace(peers_, *parts_, spill("features"));
    do_together(peers_, [&] { expect_ids_are_lines(outline_.name, own.texts); });
    std::vector<std::string> ids(static_cast<std::size_t>(peers_.size()));
    std::vector<std::vector<Index>> labels(ids.size());
    Index node = own.first;
    for_each_text(own.texts, [&](std::string_view id) {
        const int owner = parts_->owner_of(node);
        (ids[owner] += id) += end_of_text;
        labels[owner].push_back(facts.classes.labels[static_cast<std::size_t>(node++ - own.first)]);
    });
    own = {};
    facts = {};
    for (const std::string& some : exchange_texts(peers_, ids))
        own_ids_ += some;
    for (const std::vector<Index>& some : exchange_values(peers_, labels))
        own_labels_.insert(own_labels_.end(), some.begin(), some.end());
}

void TextSharding::read_edges() {
    TextPieces text(reading_, files_.edges, CsvComments::skipped, records_of_edge_head);
    result_.bytes += text.bytes();
    const auto send = [&](const Edge& edge, float weight) {
        const int one = parts_->owner_of(edge.from);
        const int other = parts_->owner_of(edge.to);
        edges_->put(one, {edge.from, edge.to, weight});
        if (other != one) edges_->put(other, {edge.from, edge.to, weight});
    };
    const EdgeList facts = hwgcn::read_edges(text, read_edge_head(text, files_, ids_), ids_, send,
                                             [&] { edges_->deliver(ends_of); });
    line_not_utf8_[0] = text.line_not_utf8();
    outline_.directed =
        files_.directions == Directions::as_found ? facts.directed : files_.directions == Directions::kept;
    zeros_left_out_ = facts.weighted;
    outline_.notes.insert(outline_.notes.end(), facts.notes.begin(), facts.notes.end());
}

void TextSharding::read_features() {
    if (files_.features.empty()) return;
    TextPieces text(reading_, files_.features, CsvComments::skipped, 1);
    result_.bytes += text.bytes();
    ListedFeatures list = read_listed_features(text, ids_);
    line_not_utf8_[2] = text.line_not_utf8();
    const Index first = outline_.features.columns;
    if (first > std::numeric_limits<Index>::max() - static_cast<Index>(list.names.size()))
        throw InputError("more than 2147483647 features");
    const std::size_t slice = options_.piece_bytes / sizeof(Triplet<float>) + 1;
    for (std::size_t place = 0; any(peers_, place < list.entries.size());) {
        for (std::size_t end = std::min(list.entries.size(), place + slice); place < end; ++place) {
            Triplet<float>& entry = list.entries[place];
            entry.column += first;
            entries_->put(parts_->owner_of(entry.row), entry);
        }
        entries_->deliver(node_of_entry);
    }
    outline_.feature_names.insert(outline_.feature_names.end(), list.names.begin(), list.names.end());
    outline_.feature_kinds.resize(outline_.feature_names.size(), FeatureKind::unknown);
    outline_.features.columns = static_cast<Index>(outline_.feature_names.size());
}

// Whether all weights but 0 are the same; also where there are none.
bool TextSharding::is_constant() const {
    double least = std::numeric_limits<double>::infinity();
    double largest = -least;
    edges_->for_each([&](Index, const TextEdge& edge) {
        if (edge.weight == 0.0F) return;
        least = std::min(least, static_cast<double>(edge.weight));
        largest = std::max(largest, static_cast<double>(edge.weight));
    });
    return maximum(peers_, largest) <= -maximum(peers_, -least);
}

// Each pair is counted at the part that has its lower end.
EdgeRepeats TextSharding::count_repeated() const {
    EdgeRepeats own;
    const auto count = [&](Index part) {
        Dataset lower;
        edges_->for_each_of(part, [&](const TextEdge& edge) {
            if (is_left_out(edge) || parts_->part_of(std::min(edge.from, edge.to)) != part) return;
            lower.edges.push_back({edge.from, edge.to});
            if (weighted_) lower.edge_weights.push_back(edge.weight);
        });
        const EdgeRepeats counts = count_edges(lower);
        own.repeated += counts.repeated;
        own.pairs += counts.pairs;
        own.both_ways += counts.both_ways;
        own.unequal += counts.unequal;
    };
    do_together(peers_, [&] {
        for (Index part = parts_->firsts[peers_.rank()]; part < parts_->firsts[peers_.rank() + 1]; ++part)
            expect_light_edges([&] { count(part); });
    });
    const std::vector<std::int64_t> all =
        totals(peers_, {own.repeated, own.pairs, own.both_ways, own.unequal});
    return {all[0], all[1], all[2], all[3]};
}

// As the ordinary reader decides: weights that are all the same count only where edges are repeated.
void TextSharding::settle_weights() {
    if (!zeros_left_out_) return;
    std::int64_t zeros = 0;
    edges_->for_each([&](Index part, const TextEdge& edge) {
        zeros += edge.weight == 0.0F && parts_->part_of(edge.from) == part ? 1 : 0;
    });
    zeros = total(peers_, zeros);
    if (zeros > 0) {
        outline_.notes.push_back(fmt::format("{}: {} edge{} of weight 0 {} left out", outline_.source, zeros,
                                             zeros == 1 ? "" : "s", zeros == 1 ? "is" : "are"));
    }
    weighted_ = !is_constant() || count_repeated().repeated > 0;
}

void TextSharding::note_what_was_read() {
    note_repeated_edges(outline_, count_repeated(), weighted_);
    note_encoding(files_.edges.string(), line_not_utf8_[0], outline_.notes);
    note_encoding(files_.nodes.string(), line_not_utf8_[1], outline_.notes);
    note_encoding(files_.features.string(), line_not_utf8_[2], outline_.notes);
    const std::vector<Index> own = class_sizes(outline_.class_names.size(), own_labels_);
    const std::vector<std::int64_t> all = totals(peers_, {own.begin(), own.end()});
    note_classes(files_.nodes.string(), outline_.class_names, {all.begin(), all.end()}, outline_.notes);
}

// All that was read goes to the processes that have its nodes in the new order.
void TextSharding::reorder() {
    NodeOrder found = options_.find_order(own_neighbors(*edges_, *parts_, zeros_left_out_),
                                          first_nodes(*parts_), block_size());
    auto ordered = std::make_unique<const TextParts>(std::move(found.blocks), peers_);
    NodeMoves moves{peers_, *parts_, *ordered, std::vector<Index>(found.order.size())};
    for (std::size_t k = 0; k < found.order.size(); ++k)
        moves.place[found.order[k]] = static_cast<Index>(k);
    found.order = {};
    edges_ = moves.moved_edges(*edges_);
    entries_ = moves.moved_entries(*entries_);
    moves.move_lists(own_ids_, own_labels_);
    parts_ = std::move(ordered);
}

void TextSharding::build_features() {
    do_together(peers_, [&] {
        for (Index part = parts_->firsts[peers_.rank()]; part < parts_->firsts[peers_.rank() + 1]; ++part) {
            throw_if_stopped(reading_.control);
            const Index first = parts_->bounds[part];
            std::vector<Triplet<float>> entries = entries_->take(part);
            for (Triplet<float>& entry : entries)
                entry.row -= first;
            CsrMatrix<float> rows = csr_from_triplets(parts_->bounds[part + 1] - first,
                                                      outline_.features.columns, std::move(entries));
            const auto bad = std::ranges::find_if(rows.values, [](float value) { return std::isinf(value); });
            if (bad != rows.values.end()) {
                fail_in_file(
                    outline_.source,
                    fmt::format("values of feature '{}' of a node add up to {}, expected a finite number",
                                excerpt(outline_.feature_names[rows.indices[bad - rows.values.begin()]]),
                                *bad));
            }
            features_.push_back(std::move(rows));
        }
    });
}

void TextSharding::build_edges(ShardPart& part) {
    std::vector<Edge> edges;
    std::vector<float> weights;
    for (const TextEdge& edge : edges_->take(part.number)) {
        if (is_left_out(edge)) continue;
        edges.push_back({edge.from, edge.to});
        if (weighted_) weights.push_back(edge.weight);
    }
    fill_edges(part, outline_.nodes, outline_.directed, edges, weights);
}

// `work` adds up the weights of repeated edges.
void TextSharding::expect_light_edges(const std::function<void()>& work) const {
    try {
        work();
    } catch (const InputError&) {
        fail_in_file(outline_.source,
                     "the weights of a repeated edge add up to more than 3.4e38: give them in a larger unit");
    }
}

void TextSharding::write_parts() {
    const auto add_edges = [&](ShardPart& part) { expect_light_edges([&] { build_edges(part); }); };
    const WrittenShards written = write_shards_together(
        peers_, options_.out / shard_file::building, outline_, weighted_, {parts_->blocks, options_.order},
        *parts_, {std::move(features_), std::move(own_ids_), std::move(own_labels_), add_edges},
        reading_.control);
    do_together(peers_, [&] {
        if (folder_) folder_->finish();
    });
    result_.name = outline_.name;
    result_.nodes = outline_.nodes;
    result_.blocks = parts_->blocks.count();
    result_.pairs = written.pairs;
    result_.share_within_blocks = written.share_within_blocks;
    result_.notes = std::move(outline_.notes);
}

// What must be the same for everybody, as one text.
std::string as_text(const CsvFiles& files, const TextShardOptions& options) {
    std::string text;
    for (const std::string& setting :
         {files.edges.string(), files.nodes.string(), files.features.string(), files.id_column,
          files.label_column, files.source_column, files.target_column, files.weight_column,
          files.categorical_columns, files.ignored_columns, files.numeric_columns, files.label_separator,
          files.bins, options.out.string()})
        text += setting + '\n';
    return fmt::format("{}{} {} {} {} {} {} {} {}", text, files.judge_columns, static_cast<int>(options.old),
                       static_cast<int>(files.directions), options.block_size, name_of(options.scale),
                       options.piece_bytes, options.order, options.memory);
}

}  // namespace

TextShards shard_text(const CsvFiles& files, const TextShardOptions& options, Peers& peers,
                      const ExecutionControl& control) {
    if (files.edges.empty()) throw InputError("no edge file was given: a CSV dataset needs at least that");
    expect_same(peers, "set of files or options", as_text(files, options));
    return TextSharding(files, options, peers, control).run();
}

}  // namespace hwgcn
