#include <algorithm>

#include "hwgcn/base/error.hpp"

#include "io/shards/shard_part.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

// Of an undirected graph each edge once, from the lower end; of a directed one each arc.
void take_edges(Dataset& dataset, const CsrMatrix<float>& rows, bool weighted) {
    for (Index node = 0; node < rows.rows; ++node) {
        const SparseRow<float> row = rows.row(node);
        for (std::size_t k = 0; k < row.size(); ++k) {
            if (!dataset.directed && row.indices[k] < node) continue;
            dataset.edges.push_back({node, row.indices[k]});
            if (weighted) dataset.edge_weights.push_back(row.values[k]);
        }
    }
}

// What both ends of an edge say must be the same.
void check_ends(const CsrMatrix<float>& neighbors, const ShardList& list) {
    std::int64_t downwards = 0;
    std::int64_t upwards = 0;
    for (Index node = 0; node < neighbors.rows; ++node) {
        for (const Index neighbor : neighbors.row(node).indices)
            (neighbor < node ? downwards : upwards) += neighbor == node ? 0 : 1;
    }
    if (upwards != downwards) list.fail("edges are missing at one of their ends");
}

template <typename T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

ShardLayout read_shard_layout(const fs::path& folder) {
    const ShardList list(folder);
    return {list.blocks(), list.text("order")};
}

std::vector<fs::path> shard_files(const fs::path& folder) {
    std::vector<fs::path> files = {folder / shard_file::list};
    const ShardList list(folder);
    for (Index part = 0; part < list.parts(); ++part) {
        for (const auto& [file, hash] : list.hashes_of(part).items())
            files.push_back(folder / shard_part_name(part) / fs::path(file).filename());
    }
    return files;
}

Dataset read_shards(const fs::path& folder) {
    const ShardList list(folder);
    Dataset dataset = list.description();
    const bool weighted = list.flag("weighted");
    const bool has_ids = list.flag("ids");
    CsrMatrix<float> neighbors{dataset.nodes, dataset.nodes, {0}, {}, {}};
    CsrMatrix<float> arcs = neighbors;
    dataset.features = {
        dataset.nodes, static_cast<Index>(list.number("features", ShardList::most)), {0}, {}, {}};
    std::vector<std::int32_t> places;
    for (Index part = 0; part < list.parts(); ++part) {
        const PartReader reader(list, part);
        reader.append_rows(neighbors, neighbor_files(weighted));
        if (dataset.directed) reader.append_rows(arcs, arc_files(weighted));
        reader.append_rows(dataset.features, feature_files);
        append(dataset.labels, reader.list<Index>(shard_file::labels));
        if (list.has("split")) append(places, reader.list<std::int32_t>(shard_file::split));
        if (has_ids) append(dataset.node_ids, reader.lines(shard_file::ids));
    }
    check_ends(neighbors, list);
    take_edges(dataset, dataset.directed ? arcs : neighbors, weighted);
    if (list.has("split")) take_split(dataset, places, list.text("split"));
    validate_dataset(dataset);
    return dataset;
}

}  // namespace hwgcn
