#pragma once

#include <span>

#include "hwgcn/base/run_control.hpp"

#include "distributed/graph/own_neighbors.hpp"
#include "distributed/peers/peers.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {

/// `greedy_order`, found by several processes, each of which has the neighbors of a run of nodes: process r
/// those of firsts[r] .. firsts[r + 1] - 1. All get the whole order. Each needs up to 30 bytes per node of
/// the whole graph beside the neighbors of its share. Takes as many rounds of messages as breadth-first
/// search has levels; blocks are chosen by one process after the other.
NodeOrder shared_greedy_order(OwnNeighbors own, std::span<const Index> firsts, Index block_size, Peers& peers,
                              const ExecutionControl& control = {});

}  // namespace hwgcn
