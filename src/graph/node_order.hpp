#pragma once

#include <span>
#include <string>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/graph/graph.hpp"

#include "io/shards/shards.hpp"

namespace hwgcn {

/// Nodes in an order in which neighbors are near each other, and the blocks that it falls into.
struct NodeOrder {
    std::vector<Index> order;  ///< the old number of each node
    NodeBlocks blocks;
};

/// Linear deterministic greedy partitioning (Stanton and Kliot 2012), repeated: nodes come one after the
/// other, breadth first, and each goes to the block that has most of its neighbors, times the share of the
/// block that is free. Blocks have `block_size` nodes on average and a tenth more at most. They are
/// numbered so that successive ones have many edges between them. Needs 12 bytes per node.
NodeOrder greedy_order(const Graph& graph, Index block_size, const ExecutionControl& control = {});

/// METIS's multilevel k-way partitioning (Karypis and Kumar 1998) with a fixed seed into as many parts as
/// blocks of `block_size` nodes need, numbered as `greedy_order` does it. Blocks are as METIS balances them:
/// a few percent above `block_size`, more where the graph is small, and empty ones are left out. Throws
/// InputError where this build has no METIS, or where the graph has more neighbors than its numbers can
/// count.
NodeOrder metis_order(const Graph& graph, Index block_size, const ExecutionControl& control = {});
bool has_metis();
void require_metis();            ///< throws the InputError
std::string version_of_metis();  ///< or "not built in"

/// The share of the edges that lie within a block.
double share_within_blocks(const Graph& graph, const NodeBlocks& blocks);

}  // namespace hwgcn
