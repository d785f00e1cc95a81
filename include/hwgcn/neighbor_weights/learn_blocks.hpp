#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/data/shards.hpp"
#include "hwgcn/linalg/node_blocks.hpp"
#include "hwgcn/neighbor_weights/learn_weights.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

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
    std::int64_t halo_rows = 0;        ///< fetched around the nodes of this process's rounds, over all rounds
    std::int64_t bytes_received = 0;   ///< by this process, from others
};

/// Who learns which blocks: bounds lie between blocks, so that the work, by walks of two steps, is
/// shared evenly.
std::shared_ptr<const Partition> balanced_partition(const ShardReader& reader, Peers* peers);

/// Learns the weights of the orders 2..K of all blocks, each process those that it has, with the bits of
/// `learn_weights`. Blocks that are there are not learned again. Where the rows around a process's nodes take
/// more than the memory, its blocks are learned in several rounds. When all are done, the first process
/// writes weights.json. All processes throw Interrupted where one is stopped.
BlockWeights learn_blocks(const ShardReader& reader, const Partition& partition, const WeightOptions& options,
                          const BlockOptions& files, const ExecutionControl& control = {});

/// The same for some blocks, by a process that works alone and reads from the shards what it needs. It does
/// not write weights.json.
BlockWeights learn_block_files(const ShardReader& reader, std::span<const Index> blocks,
                               const WeightOptions& options, const BlockOptions& files,
                               const ExecutionControl& control = {});

/// Writes weights.json where all blocks are there. Throws InputError where one is missing or damaged.
BlockWeights finish_blocks(const ShardReader& reader, const WeightOptions& options,
                           const BlockOptions& files);

}  // namespace hwgcn
