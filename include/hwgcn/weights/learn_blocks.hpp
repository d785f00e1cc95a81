#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/io/shards.hpp"
#include "hwgcn/tensor/node_blocks.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// What a process has learned so far. A node counts once for each order.
struct LearnedNodes {
    std::int64_t nodes = 0;
    double seconds = 0;  ///< without the time in which it waited for rows or for other processes

    double per_second() const { return seconds > 0 ? static_cast<double>(nodes) / seconds : 0; }
};

/// Where the weights of blocks go, and what learning them may take.
struct BlockOptions {
    std::filesystem::path folder;  ///< a WeightCache in this folder finds them
    std::int64_t memory = 0;  ///< bytes for the rows of a round: of its nodes and those around; 0: no limit
    /// Is told, at the first of several processes, what each has learned, whenever they talk to each other.
    std::function<void(std::span<const LearnedNodes> processes)> hear = {};
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

/// Who learns which blocks: bounds lie between blocks, so that the work, by walks of two steps, is
/// shared evenly.
std::shared_ptr<const Partition> balanced_partition(const ShardReader& reader, Peers* peers);

/// Learns the weights of the orders 2..K of all blocks, each process those that it has, with the bits of
/// `learn_weights`. Blocks that are there are not learned again. Where the rows around a process's nodes take
/// more than the memory, its blocks are learned in several rounds. When all are done, the first process
/// writes weights.json. All processes throw Interrupted where one is stopped. Progress is that of all
/// processes together; where there are several, they hear of each other's every ten seconds.
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
