#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "io/shards/shards.hpp"

namespace hwgcn {

/// What was learned so far. A node counts once for each order.
struct LearnedNodes {
    std::int64_t nodes = 0;
    double seconds = 0;  ///< without the time of waiting for rows or for other processes

    double per_second() const { return seconds > 0 ? static_cast<double>(nodes) / seconds : 0; }
};

/// Where the weights of blocks go, and what learning them may take.
struct BlockOptions {
    std::filesystem::path folder;  ///< a WeightCache in this folder finds them
    std::int64_t memory = 0;  ///< bytes for the rows of a round: of its nodes and those around; 0: no limit
};

/// What happened. The weights are in files: for each order a folder, in it a file per block.
struct BlockWeights {
    std::vector<OrderSummary> orders;  ///< 2..K, without `keep`, which is applied where weights are read
    std::vector<std::string> notes;    ///< of all processes at the first one, else of this one
    std::int64_t learned = 0;          ///< blocks, over all processes
    std::int64_t found = 0;            ///< blocks that were there already
    std::int64_t rounds = 0;           ///< in which rows were fetched
    std::int64_t halo_rows = 0;        ///< of features, fetched around this process's nodes, over all rounds
    std::int64_t bytes_received = 0;   ///< by this process, from others
    LearnedNodes own;                  ///< by this process
};

/// Learns the weights of the orders 2..K of some blocks, with the bits of `learn_weights`, and reads from the
/// shards what it needs. Blocks that are there are not learned again. Where the rows around their nodes take
/// more than the memory, they are learned in several rounds. It does not write weights.json.
BlockWeights learn_block_files(const ShardReader& reader, std::span<const Index> blocks,
                               const WeightOptions& options, const BlockOptions& files,
                               const ExecutionControl& control = {});

/// Writes weights.json where all blocks are there. Throws InputError where one is missing or damaged.
BlockWeights finish_blocks(const ShardReader& reader, const WeightOptions& options,
                           const BlockOptions& files);

/// The rows of the blocks first .. end - 1 in a folder where all blocks are.
LearnedWeights read_block_weights(const ShardReader& reader, Index first, Index end,
                                  const WeightOptions& options, const std::filesystem::path& folder);

}  // namespace hwgcn
