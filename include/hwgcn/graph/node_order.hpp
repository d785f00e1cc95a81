#pragma once

#include <vector>

#include "hwgcn/data/shards.hpp"
#include "hwgcn/graph/graph.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

/// Nodes in an order in which neighbours are near each other, and the blocks that it falls into.
struct NodeOrder {
    std::vector<Index> order;  ///< the old number of each node
    NodeBlocks blocks;
};

/// Linear deterministic greedy partitioning (Stanton and Kliot 2012), repeated: nodes come one after the
/// other, breadth first, and each goes to the block that has most of its neighbours, times the share of the
/// block that is free. Blocks have `block_size` nodes on average and a tenth more at most. They are
/// numbered so that successive ones have many edges between them. Needs 12 bytes per node.
NodeOrder greedy_order(const Graph& graph, Index block_size, const ExecutionControl& control = {});

/// The share of the edges that lie within a block.
double share_within_blocks(const Graph& graph, const NodeBlocks& blocks);

}  // namespace hwgcn
