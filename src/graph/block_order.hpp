#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/node_order.hpp"

namespace hwgcn {

/// Edges from a block to another one.
struct BlockLink {
    Index other = 0;
    std::int64_t edges = 0;
};
using BlockLinks = std::vector<std::vector<BlockLink>>;  ///< of every block

/// Of `count` nodes: the k-th is node_of(k), and neighbors_of(k) are its neighbors.
template <typename NodeOf, typename NeighborsOf>
BlockLinks edges_between(Index count, const NodeOf& node_of, const NeighborsOf& neighbors_of,
                         const std::vector<Index>& block_of, Index blocks) {
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(blocks));
    for (Index k = 0; k < count; ++k)
        members[block_of[node_of(k)]].push_back(k);
    BlockLinks links(members.size());
    std::vector<std::int64_t> edges(members.size(), 0);
    for (Index block = 0; block < blocks; ++block) {
        for (const Index k : members[block]) {
            for (const Index neighbor : neighbors_of(k)) {
                const Index other = block_of[neighbor];
                if (other != block && edges[other]++ == 0) links[block].push_back({other, 0});
            }
        }
        for (BlockLink& link : links[block])
            link.edges = std::exchange(edges[link.other], 0);
    }
    return links;
}

BlockLinks edges_between(const Graph& graph, const std::vector<Index>& block_of, Index blocks);

/// New numbers of blocks: next comes the one with most edges to those that have a number already.
std::vector<Index> block_numbers(const BlockLinks& links);

/// Nodes by the new number of their block, in their old order within it. Blocks without nodes are left out.
NodeOrder ordered_by_blocks(const std::vector<Index>& block_of, const std::vector<Index>& numbers);

}  // namespace hwgcn
