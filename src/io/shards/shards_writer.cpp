#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"

#include "base/files/atomic_file.hpp"
#include "base/json_text.hpp"
#include "io/numpy/npy_format.hpp"
#include "io/numpy/npz_archive.hpp"
#include "io/shards/shard_edges.hpp"
#include "io/shards/shard_part.hpp"
#include "io/shards/shard_writing.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

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

    /// The arrays of a matrix: offsets, columns and, where a file is named, values.
    void rows(const CsrMatrix<float>& matrix, const RowFiles& files) {
        array<std::int64_t>(files.offsets, matrix.offsets);
        array<Index>(files.columns, matrix.indices);
        if (!files.values.empty()) array<float>(files.values, matrix.values);
    }

    void text(std::string_view file, const std::string& lines) {
        write(file, [&](OutputFile& out) { out.write(lines); });
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
    for (const std::string& id : dataset.node_ids)
        expect_ids_are_lines(dataset.name, id);
}

Json description(const Dataset& dataset, const ShardLayout& layout, const ShardFacts& facts) {
    std::vector<int> kinds;
    for (const FeatureKind kind : dataset.feature_kinds)
        kinds.push_back(static_cast<int>(kind));
    return {{"format", shard_file::format},
            {"version", shard_file::version},
            {"name", dataset.name},
            {"nodes", dataset.nodes},
            {"features", dataset.features.columns},
            {"directed", dataset.directed},
            {"weighted", facts.weighted},
            {"weight_unit", facts.weight_unit},
            {"weights_differ", facts.weights_differ},
            {"heaviest_weight", facts.heaviest_weight},
            {"ids", facts.ids},
            {"split", dataset.published_split ? Json(dataset.published_split->name) : Json(nullptr)},
            {"scale", name_of(dataset.scale)},
            {"classes", dataset.class_names},
            {"feature_names", dataset.feature_names},
            {"feature_kinds", kinds},
            {"order", layout.order},
            {"bounds", layout.blocks.bounds},
            {"block_work", facts.block_work}};
}

template <typename T>
std::vector<T> range_of(const std::vector<T>& values, Index first, Index end) {
    return values.empty() ? values : std::vector<T>(values.begin() + first, values.begin() + end);
}

}  // namespace

void expect_ids_are_lines(std::string_view name, std::string_view ids) {
    if (ids.find('\n') != std::string_view::npos)
        throw InputError(fmt::format("{}: the id of a node has a line break and cannot be a line of {}", name,
                                     shard_file::ids));
}

Json write_shard_part(const fs::path& folder, const ShardPart& part, const ShardFacts& facts, bool directed) {
    PartWriter writer(folder / shard_part_name(part.number), part.first, part.end);
    writer.rows(part.neighbors, neighbor_files(facts.weighted));
    if (directed) writer.rows(part.arcs, arc_files(facts.weighted));
    writer.rows(part.features, feature_files);
    writer.array<Index>(shard_file::labels, part.labels);
    if (!part.places.empty()) writer.array<std::int8_t>(shard_file::split, part.places);
    if (facts.ids) writer.text(shard_file::ids, part.ids);
    return std::move(writer).json();
}

void join_facts(FeatureFacts& facts, const FeatureFacts& more) {
    facts.non_negative = facts.non_negative && more.non_negative;
    facts.largest_norm = std::max(facts.largest_norm, more.largest_norm);
}

void write_shard_list(const fs::path& folder, const Dataset& dataset, const ShardLayout& layout,
                      const ShardFacts& facts, Json parts) {
    Json json = description(dataset, layout, facts);
    json["parts"] = std::move(parts);
    json["scaling"] = scaling_json(facts.scaling);
    json["non_negative"] = facts.features.non_negative;
    json["largest_norm"] = facts.features.largest_norm;
    json[std::string(shard_file::checksum)] = shard_list_checksum(json);
    write_text_atomically(folder / shard_file::list, json_text(json));
}

void write_shards(const fs::path& folder, const Dataset& dataset, const ShardLayout& layout) {
    check_ids(dataset);
    ShardFolder out(folder, OldShards::replaced);
    write_shards(out, dataset, layout);
}

void write_shards(ShardFolder& out, const Dataset& dataset, const ShardLayout& layout) {
    check_ids(dataset);
    const bool weighted = !dataset.edge_weights.empty();
    ShardPart whole{.end = dataset.nodes};
    fill_edges(whole, dataset.nodes, dataset.directed, dataset.edges, dataset.edge_weights);
    EdgeTally tally(layout.blocks, weighted);
    tally.add(whole);
    ShardFacts facts{.weighted = weighted,
                     .ids = !dataset.node_ids.empty(),
                     .weights_differ = tally.least_weight < tally.largest_weight,
                     .heaviest_weight = static_cast<float>(tally.largest_weight),
                     .block_work = std::move(tally.block_work)};
    WeightSum sum;
    tally.add_weights(sum, tally.has_only_loops());
    if (weighted) facts.weight_unit = sum.mean();
    facts.scaling = scaling_of(dataset);
    const std::vector<std::int8_t> places = dataset.published_split
                                                ? places_in(*dataset.published_split, dataset.nodes)
                                                : std::vector<std::int8_t>();
    const fs::path folder = out.building();
    Json json = Json::array();
    const std::vector<Index>& bounds = layout.blocks.bounds;
    const std::vector<Index> parts = shard_part_bounds(layout.blocks.count());
    for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
        ShardPart part{static_cast<Index>(k), bounds[parts[k]], bounds[parts[k + 1]]};
        part.neighbors = row_range(whole.neighbors, part.first, part.end);
        if (dataset.directed) part.arcs = row_range(whole.arcs, part.first, part.end);
        part.features = row_range(dataset.features, part.first, part.end);
        part.labels = range_of(dataset.labels, part.first, part.end);
        part.places = range_of(places, part.first, part.end);
        for (Index node = part.first; facts.ids && node < part.end; ++node)
            part.ids += dataset.node_ids[node] + '\n';
        json.push_back(write_shard_part(folder, part, facts, dataset.directed));
        join_facts(facts.features, facts_of(scaled(std::move(part.features), facts.scaling)));
    }
    write_shard_list(folder, dataset, layout, facts, std::move(json));
    out.finish();
}

}  // namespace hwgcn
