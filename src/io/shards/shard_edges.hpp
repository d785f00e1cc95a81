#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/shards/shard_writing.hpp"

namespace hwgcn {

/// Fills in the neighbors and arcs of a part: `edges` are all that have one of its nodes as an end.
void fill_edges(ShardPart& part, Index nodes, bool directed, std::span<const Edge> edges,
                std::span<const float> weights);

/// A sum of weights in the order of the edges.
struct WeightSum {
    double sum = 0;
    std::int64_t count = 0;
    double mean() const { return count > 0 ? sum / static_cast<double>(count) : 1.0; }
};

/// What is to be known of the edges of parts, in their order.
class EdgeTally {
  public:
    EdgeTally(const NodeBlocks& blocks, bool weighted);

    void add(const ShardPart& part);

    /// Adds the weights of pairs of different nodes or, in a graph of nothing but loops, of these.
    void add_weights(WeightSum& sum, bool of_loops) const;
    bool has_only_loops() const { return pair_weights_.empty(); }

    std::int64_t pairs = 0;      ///< connected nodes, each pair once; loops, too
    std::int64_t neighbors = 0;  ///< loops left out
    std::int64_t within = 0;     ///< of them, those within a block
    double least_weight = std::numeric_limits<double>::infinity();
    double largest_weight = 0;

    /// Walks of two steps by the block that they begin in: what learning its weights takes, about.
    std::vector<std::int64_t> block_work;

  private:
    void add_pairs(const ShardPart& part);
    void add_walks(const ShardPart& part);
    Index block_of(Index node) const;

    const NodeBlocks& blocks_;
    bool weighted_;
    std::vector<float> pair_weights_;
    std::vector<float> loop_weights_;
};

}  // namespace hwgcn
