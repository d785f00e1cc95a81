#pragma once

#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"

#include "distributed/graph/own_neighbors.hpp"
#include "distributed/peers/peers.hpp"

namespace hwgcn {

/// The nodes of a graph, breadth first, from the lowest node of each component: as a queue would find them.
/// Each process has the neighbors of a run of nodes, and all get the whole stream.
std::vector<Index> shared_breadth_first(const OwnNeighbors& own, std::span<const Index> firsts, Peers& peers,
                                        const ExecutionControl& control);

}  // namespace hwgcn
