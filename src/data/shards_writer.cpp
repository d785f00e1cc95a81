#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/feature_scaling.hpp"
#include "hwgcn/data/shards.hpp"
#include "hwgcn/support/error.hpp"

#include "data/merged_edges.hpp"
#include "data/npy_format.hpp"
#include "data/npz_archive.hpp"
#include "data/shard_files.hpp"
#include "support/atomic_file.hpp"
#include "support/json_text.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Neighbours of every node: of an undirected graph both ends of every edge.
CsrMatrix<float> neighbor_rows(const Dataset& dataset) {
    std::vector<Triplet<float>> entries = dataset.directed
                                              ? merged_arcs(dataset.edges, dataset.edge_weights)
                                              : merged_pairs(dataset.edges, dataset.edge_weights);
    if (!dataset.directed) {
        const std::size_t pairs = entries.size();
        for (std::size_t k = 0; k < pairs; ++k) {
            const Triplet<float> entry = entries[k];
            if (entry.row != entry.column) entries.push_back({entry.column, entry.row, entry.value});
        }
    }
    return csr_from_triplets(dataset.nodes, dataset.nodes, std::move(entries));
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
    void rows(const CsrMatrix<float>& matrix, std::string_view offsets, std::string_view columns,
              std::string_view values) {
        std::vector<std::int64_t> own(matrix.offsets.begin() + first_, matrix.offsets.begin() + end_ + 1);
        const auto begin = static_cast<std::size_t>(own.front());
        const std::size_t count = static_cast<std::size_t>(own.back()) - begin;
        for (std::int64_t& offset : own)
            offset -= static_cast<std::int64_t>(begin);
        array<std::int64_t>(offsets, own);
        array<Index>(columns, std::span(matrix.indices).subspan(begin, count));
        if (!values.empty()) array<float>(values, std::span(matrix.values).subspan(begin, count));
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

Json description(const Dataset& dataset, const ShardLayout& layout) {
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
            {"ids", !dataset.node_ids.empty()},
            {"split", dataset.published_split ? Json(dataset.published_split->name) : Json(nullptr)},
            {"scale", name_of(dataset.scale)},
            {"classes", dataset.class_names},
            {"feature_names", dataset.feature_names},
            {"feature_kinds", kinds},
            {"order", layout.order},
            {"bounds", layout.blocks.bounds},
            {"parts", Json::array()}};
}

}  // namespace

void write_shards(const fs::path& folder, const Dataset& dataset, const ShardLayout& layout) {
    check_ids(dataset);
    const CsrMatrix<float> neighbors = neighbor_rows(dataset);
    const std::vector<std::int8_t> places = dataset.published_split
                                                ? places_in(*dataset.published_split, dataset.nodes)
                                                : std::vector<std::int8_t>();
    Json json = description(dataset, layout);
    remove_list(folder);
    const std::vector<Index>& bounds = layout.blocks.bounds;
    const std::vector<Index> parts = shard_part_bounds(layout.blocks.count());
    for (std::size_t part = 0; part + 1 < parts.size(); ++part) {
        PartWriter writer(folder / shard_part_name(static_cast<Index>(part)), bounds[parts[part]],
                          bounds[parts[part + 1]]);
        writer.rows(neighbors, shard_file::neighbor_offsets, shard_file::neighbors,
                    dataset.edge_weights.empty() ? "" : shard_file::neighbor_weights);
        writer.rows(dataset.features, shard_file::feature_offsets, shard_file::feature_columns,
                    shard_file::feature_values);
        writer.list(shard_file::labels, dataset.labels);
        if (!places.empty()) writer.list(shard_file::split, places);
        if (!dataset.node_ids.empty()) writer.lines(shard_file::ids, dataset.node_ids);
        json["parts"].push_back(std::move(writer).json());
    }
    write_text_atomically(folder / shard_file::list, json_text(json));
}

}  // namespace hwgcn
