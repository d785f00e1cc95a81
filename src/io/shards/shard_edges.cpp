#include "io/shards/shard_edges.hpp"

#include <algorithm>
#include <utility>

#include "io/merged_edges.hpp"

namespace hwgcn {

// The pairs of a directed graph are those of its arcs as they are written, so that a reader of the arcs joins
// the same ones.
void fill_edges(ShardPart& part, Index nodes, bool directed, std::span<const Edge> edges,
                std::span<const float> weights) {
    const auto is_own = [&](Index node) { return node >= part.first && node < part.end; };
    std::vector<Triplet<float>> own;
    std::vector<Edge> arc_ends;
    std::vector<float> arc_weights;
    if (directed) {
        for (const Triplet<float>& arc : merged_arcs(edges, weights)) {
            arc_ends.push_back({arc.row, arc.column});
            if (!weights.empty()) arc_weights.push_back(arc.value);
            if (is_own(arc.row)) own.push_back({arc.row - part.first, arc.column, arc.value});
        }
        part.arcs = csr_from_triplets(part.end - part.first, nodes, std::exchange(own, {}));
        edges = arc_ends;
        weights = arc_weights;
    }
    for (const Triplet<float>& pair : merged_pairs(edges, weights)) {
        if (is_own(pair.row)) own.push_back({pair.row - part.first, pair.column, pair.value});
        if (is_own(pair.column) && !is_loop(pair))
            own.push_back({pair.column - part.first, pair.row, pair.value});
    }
    part.neighbors = csr_from_triplets(part.end - part.first, nodes, std::move(own));
}

EdgeTally::EdgeTally(const NodeBlocks& blocks, bool weighted)
    : block_work(static_cast<std::size_t>(blocks.count()), 0), blocks_(blocks), weighted_(weighted) {}

void EdgeTally::add(const ShardPart& part) {
    add_pairs(part);
    add_walks(part);
}

// Every pair once, at its lower end.
void EdgeTally::add_pairs(const ShardPart& part) {
    for (Index row = 0; row < part.neighbors.rows; ++row) {
        const SparseRow<float> entries = part.neighbors.row(row);
        for (std::size_t e = 0; e < entries.size(); ++e) {
            const Index node = part.first + row;
            if (entries.indices[e] < node) continue;
            ++pairs;
            least_weight = std::min(least_weight, static_cast<double>(entries.values[e]));
            largest_weight = std::max(largest_weight, static_cast<double>(entries.values[e]));
            if (weighted_)
                (entries.indices[e] == node ? loop_weights_ : pair_weights_).push_back(entries.values[e]);
        }
    }
}

// By the node in their middle: its neighbors begin as many of them as it has neighbors.
void EdgeTally::add_walks(const ShardPart& part) {
    for (Index row = 0; row < part.neighbors.rows; ++row) {
        const std::span<const Index> found = part.neighbors.row(row).indices;
        const Index block = block_of(part.first + row);
        for (const Index neighbor : found) {
            const Index other = block_of(neighbor);
            block_work[static_cast<std::size_t>(other)] += std::ssize(found);
            if (neighbor == part.first + row) continue;
            ++neighbors;
            within += other == block ? 1 : 0;
        }
    }
}

Index EdgeTally::block_of(Index node) const {
    return static_cast<Index>(std::ranges::upper_bound(blocks_.bounds, node) - blocks_.bounds.begin()) - 1;
}

void EdgeTally::add_weights(WeightSum& sum, bool of_loops) const {
    const std::vector<float>& own = of_loops ? loop_weights_ : pair_weights_;
    for (const float weight : own)
        sum.sum += static_cast<double>(weight);
    sum.count += std::ssize(own);
}

}  // namespace hwgcn
