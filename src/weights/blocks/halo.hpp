#pragma once

#include <optional>
#include <span>

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "weights/blocks/row_source.hpp"

namespace hwgcn {

/// What the rings around some nodes are learned from: the neighbors of all nodes within K - 1 steps of them,
/// the features of those within K. Numbers in it ascend with those of the whole graph: the order of every
/// search and every sum is that of the whole.
///
/// Where rings are cut to samples, it has only what the samples are found by and the features of their
/// members: whole lists of the nodes themselves, degrees of their neighbors, starts of the lists of others.
struct Halo {
    std::vector<Index> nodes;  ///< their numbers in the whole graph, ascending
    Graph graph;
    CsrMatrix<float> features;
    std::int64_t rows = 0;   ///< of features that are there, those of the nodes themselves among them
    std::int64_t bytes = 0;  ///< of what was fetched

    /// The number here of a node of the whole graph that is here.
    Index place_of(Index node) const;
};

/// Fetches the halo of `own` nodes, ascending; nothing where it takes more than `memory` bytes (0: no limit).
/// Processes that share the work call it at the same time, maybe for no node.
std::optional<Halo> fetch_halo(RowSource& source, const ShardReader& reader, std::span<const Index> own,
                               const WeightOptions& options, std::int64_t memory,
                               const ExecutionControl& control);

}  // namespace hwgcn
