#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/feature_scaling.hpp"
#include "hwgcn/data/shards.hpp"
#include "hwgcn/support/error.hpp"

#include "data/merged_edges.hpp"
#include "data/npy_format.hpp"
#include "data/npz_archive.hpp"
#include "data/shard_part.hpp"
#include "support/atomic_file.hpp"
#include "support/json_text.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The edges as they are written, and what is to be known of them.
struct ShardEdges {
    CsrMatrix<float> neighbors;  // of every node: both ends of every edge
    CsrMatrix<float> arcs;       // of a directed graph
    double unit = 1;
    bool differ = false;
    float heaviest = 0;
};

// The pairs of a directed graph are those of its arcs as they are written, so that a reader of the arcs joins
// the same ones.
std::vector<Triplet<float>> pairs_of(const Dataset& dataset, std::span<const Triplet<float>> arcs) {
    if (!dataset.directed) return merged_pairs(dataset.edges, dataset.edge_weights);
    std::vector<Edge> edges;
    std::vector<float> weights;
    for (const Triplet<float>& arc : arcs) {
        edges.push_back({arc.row, arc.column});
        if (!dataset.edge_weights.empty()) weights.push_back(arc.value);
    }
    return merged_pairs(edges, weights);
}

ShardEdges edges_of(const Dataset& dataset) {
    ShardEdges edges;
    std::vector<Triplet<float>> arcs;
    if (dataset.directed) arcs = merged_arcs(dataset.edges, dataset.edge_weights);
    std::vector<Triplet<float>> entries = pairs_of(dataset, arcs);
    if (!dataset.edge_weights.empty()) edges.unit = mean_weight(entries);
    edges.differ = weights_differ(entries);
    for (const Triplet<float>& entry : entries)
        edges.heaviest = std::max(edges.heaviest, entry.value);
    const std::size_t pairs = entries.size();
    for (std::size_t k = 0; k < pairs; ++k) {
        const Triplet<float> entry = entries[k];
        if (!is_loop(entry)) entries.push_back({entry.column, entry.row, entry.value});
    }
    edges.arcs = csr_from_triplets(dataset.nodes, dataset.nodes, std::move(arcs));
    edges.neighbors = csr_from_triplets(dataset.nodes, dataset.nodes, std::move(entries));
    return edges;
}

// Steps of two from the nodes of each block: what learning their weights takes, about.
std::vector<std::int64_t> walks_of(const CsrMatrix<float>& neighbors, const NodeBlocks& blocks) {
    std::vector<std::int64_t> walks(static_cast<std::size_t>(blocks.count()), 0);
    for (std::size_t block = 0; block < walks.size(); ++block) {
        for (Index node = blocks.bounds[block]; node < blocks.bounds[block + 1]; ++node) {
            for (const Index neighbor : neighbors.row(node).indices)
                walks[block] += static_cast<std::int64_t>(neighbors.row(neighbor).size());
        }
    }
    return walks;
}

CsrMatrix<float> row_range(const CsrMatrix<float>& matrix, Index first, Index end) {
    const std::int64_t begin = matrix.offsets[first];
    CsrMatrix<float> rows{end - first, matrix.columns, {}, {}, {}};
    for (Index row = first; row <= end; ++row)
        rows.offsets.push_back(matrix.offsets[row] - begin);
    rows.indices.assign(matrix.indices.begin() + begin, matrix.indices.begin() + matrix.offsets[end]);
    rows.values.assign(matrix.values.begin() + begin, matrix.values.begin() + matrix.offsets[end]);
    return rows;
}

// One part, and the hashes of its files.
class PartWriter {
  public:
    PartWriter(fs::path folder, Index first, Index end)
        : folder_(std::move(folder)), first_(first), end_(end) {}

    template <typename T>
    void array(std::string_view file, std::span<const T> values) {
        const NpyEntry entry = npy_entry(std::string(file), values);
        write(file, [&](OutputFile& out) {
            out.write(format_npy_header(entry.dtype, entry.shape));
            out.write(entry.bytes);
        });
    }

    /// Some arrays of a matrix: offsets from 0, columns and, where a file is named, values.
    void rows(const CsrMatrix<float>& matrix, const RowFiles& files) {
        const CsrMatrix<float> own = row_range(matrix, first_, end_);
        array<std::int64_t>(files.offsets, own.offsets);
        array<Index>(files.columns, own.indices);
        if (!files.values.empty()) array<float>(files.values, own.values);
    }

    template <typename T>
    void list(std::string_view file, const std::vector<T>& values) {
        array<T>(file, std::span(values).subspan(static_cast<std::size_t>(first_),
                                                 static_cast<std::size_t>(end_ - first_)));
    }

    void lines(std::string_view file, const std::vector<std::string>& texts) {
        std::string text;
        for (Index node = first_; node < end_; ++node)
            text += texts[node] + '\n';
        write(file, [&](OutputFile& out) { out.write(text); });
    }

    Json json() && {
        return {{"folder", folder_.filename().string()},
                {"first", first_},
                {"end", end_},
                {"sha256", std::move(hashes_)}};
    }

  private:
    void write(std::string_view file, const std::function<void(OutputFile&)>& content) {
        write_atomically(folder_ / file, [&](OutputFile& out) {
            content(out);
            hashes_[std::string(file)] = out.sha256();
        });
    }

    fs::path folder_;
    Index first_;
    Index end_;
    Json hashes_ = Json::object();
};

// Where a node stands in the split that comes with the data: 0: nowhere, 1: train, 2: validation, 3: test.
std::vector<std::int8_t> places_in(const Split& split, Index nodes) {
    std::vector<std::int8_t> places(static_cast<std::size_t>(nodes), 0);
    const std::array<const std::vector<Index>*, 3> lists = {&split.train, &split.validation, &split.test};
    for (std::size_t k = 0; k < lists.size(); ++k) {
        for (const Index node : *lists[k])
            places[node] = static_cast<std::int8_t>(k + 1);
    }
    return places;
}

void check_ids(const Dataset& dataset) {
    for (const std::string& id : dataset.node_ids) {
        if (id.find('\n') != std::string::npos)
            throw InputError(fmt::format("{}: the id of a node has a line break and cannot be a line of {}",
                                         dataset.name, shard_file::ids));
    }
}

// What is there is no longer whole.
void remove_list(const fs::path& folder) {
    std::error_code error;
    fs::remove(folder / shard_file::list, error);
    if (error)
        throw ExecutionError(
            fmt::format("{}: cannot be replaced: {}", (folder / shard_file::list).string(), error.message()));
}

Json description(const Dataset& dataset, const ShardLayout& layout, const ShardEdges& edges) {
    std::vector<int> kinds;
    for (const FeatureKind kind : dataset.feature_kinds)
        kinds.push_back(static_cast<int>(kind));
    return {{"format", shard_file::format},
            {"version", shard_file::version},
            {"name", dataset.name},
            {"nodes", dataset.nodes},
            {"features", dataset.features.columns},
            {"directed", dataset.directed},
            {"weighted", !dataset.edge_weights.empty()},
            {"weight_unit", edges.unit},
            {"weights_differ", edges.differ},
            {"heaviest_weight", edges.heaviest},
            {"ids", !dataset.node_ids.empty()},
            {"split", dataset.published_split ? Json(dataset.published_split->name) : Json(nullptr)},
            {"scale", name_of(dataset.scale)},
            {"classes", dataset.class_names},
            {"feature_names", dataset.feature_names},
            {"feature_kinds", kinds},
            {"order", layout.order},
            {"bounds", layout.blocks.bounds},
            {"block_work", walks_of(edges.neighbors, layout.blocks)},
            {"parts", Json::array()}};
}

}  // namespace

void write_shards(const fs::path& folder, const Dataset& dataset, const ShardLayout& layout) {
    check_ids(dataset);
    const bool weighted = !dataset.edge_weights.empty();
    const ShardEdges edges = edges_of(dataset);
    const FeatureScaling scaling = scaling_of(dataset);
    const std::vector<std::int8_t> places = dataset.published_split
                                                ? places_in(*dataset.published_split, dataset.nodes)
                                                : std::vector<std::int8_t>();
    Json json = description(dataset, layout, edges);
    FeatureFacts facts;
    remove_list(folder);
    const std::vector<Index>& bounds = layout.blocks.bounds;
    const std::vector<Index> parts = shard_part_bounds(layout.blocks.count());
    for (std::size_t part = 0; part + 1 < parts.size(); ++part) {
        PartWriter writer(folder / shard_part_name(static_cast<Index>(part)), bounds[parts[part]],
                          bounds[parts[part + 1]]);
        writer.rows(edges.neighbors, neighbor_files(weighted));
        if (dataset.directed) writer.rows(edges.arcs, arc_files(weighted));
        writer.rows(dataset.features, feature_files);
        writer.list(shard_file::labels, dataset.labels);
        if (!places.empty()) writer.list(shard_file::split, places);
        if (!dataset.node_ids.empty()) writer.lines(shard_file::ids, dataset.node_ids);
        json["parts"].push_back(std::move(writer).json());
        const FeatureFacts own = facts_of(
            scaled(row_range(dataset.features, bounds[parts[part]], bounds[parts[part + 1]]), scaling));
        facts.non_negative = facts.non_negative && own.non_negative;
        facts.largest_norm = std::max(facts.largest_norm, own.largest_norm);
    }
    json["scaling"] = scaling_json(scaling);
    json["non_negative"] = facts.non_negative;
    json["largest_norm"] = facts.largest_norm;
    write_text_atomically(folder / shard_file::list, json_text(json));
}

}  // namespace hwgcn
