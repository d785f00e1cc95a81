#include "io/shards/shards.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "io/merged_edges.hpp"
#include "io/shards/shard_files.hpp"

namespace hwgcn {
namespace {

constexpr Index largest_block = 16'384;
constexpr Index fewest_blocks = 64;

// The new number of every node.
std::vector<Index> places_of(const Dataset& dataset, std::span<const Index> order) {
    std::vector<Index> place(static_cast<std::size_t>(dataset.nodes), unlabelled);
    bool is_permutation = order.size() == place.size();
    for (std::size_t k = 0; is_permutation && k < order.size(); ++k) {
        is_permutation = order[k] >= 0 && order[k] < dataset.nodes && place[order[k]] == unlabelled;
        if (is_permutation) place[order[k]] = static_cast<Index>(k);
    }
    if (!is_permutation)
        throw InputError(
            fmt::format("{}: an order must have each of the {} nodes once", dataset.name, dataset.nodes));
    return place;
}

CsrMatrix<float> rows_in_order(const CsrMatrix<float>& matrix, std::span<const Index> order) {
    CsrMatrix<float> result{matrix.rows, matrix.columns, {0}, {}, {}};
    result.indices.reserve(matrix.indices.size());
    result.values.reserve(matrix.values.size());
    for (const Index node : order) {
        const SparseRow<float> row = matrix.row(node);
        result.indices.insert(result.indices.end(), row.indices.begin(), row.indices.end());
        result.values.insert(result.values.end(), row.values.begin(), row.values.end());
        result.offsets.push_back(result.entries());
    }
    return result;
}

void reorder_edges(Dataset& dataset, const std::vector<Index>& place) {
    const bool weighted = !dataset.edge_weights.empty();
    for (Edge& edge : dataset.edges)
        edge = {place[edge.from], place[edge.to]};
    const std::vector<Triplet<float>> merged = dataset.directed
                                                   ? merged_arcs(dataset.edges, dataset.edge_weights)
                                                   : merged_pairs(dataset.edges, dataset.edge_weights);
    dataset.edges.clear();
    dataset.edge_weights.clear();
    for (const Triplet<float>& edge : merged) {
        dataset.edges.push_back({edge.row, edge.column});
        if (weighted) dataset.edge_weights.push_back(edge.value);
    }
}

void reorder_list(std::vector<Index>& nodes, const std::vector<Index>& place) {
    for (Index& node : nodes)
        node = place[node];
    std::ranges::sort(nodes);
}

}  // namespace

Index usual_block_size(Index nodes) {
    return std::clamp<Index>((nodes + fewest_blocks - 1) / fewest_blocks, 1, largest_block);
}

NodeBlocks even_blocks(Index nodes, Index size) {
    NodeBlocks blocks{{0}};
    for (std::int64_t first = 0; first < nodes; first += size)
        blocks.bounds.push_back(static_cast<Index>(std::min<std::int64_t>(nodes, first + size)));
    return blocks;
}

std::string shard_part_name(Index part) {
    return fmt::format("part-{:04}", part);
}

std::vector<Index> shard_part_bounds(Index blocks) {
    const Index per_part = std::max<Index>(1, (blocks + most_shard_parts - 1) / most_shard_parts);
    return even_blocks(blocks, per_part).bounds;
}

Dataset reordered(const Dataset& dataset, std::span<const Index> order) {
    const std::vector<Index> place = places_of(dataset, order);
    Dataset result = dataset;
    forget_content(result);
    reorder_edges(result, place);
    result.features = rows_in_order(dataset.features, order);
    result.node_ids.clear();
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (!dataset.labels.empty()) result.labels[k] = dataset.labels[order[k]];
        result.node_ids.push_back(node_id(dataset, order[k]));
    }
    if (result.published_split) {
        Split& split = *result.published_split;
        for (std::vector<Index>* nodes : {&split.train, &split.validation, &split.test})
            reorder_list(*nodes, place);
    }
    return result;
}

}  // namespace hwgcn
