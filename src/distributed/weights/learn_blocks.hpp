#pragma once

#include <functional>
#include <span>

#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/peers/partition.hpp"
#include "weights/blocks/learn_blocks.hpp"

namespace hwgcn {

/// What each process has learned.
using HearLearned = std::function<void(std::span<const LearnedNodes> processes)>;

/// `learn_block_files` for all blocks, each process those that it has; rows come from those who have them.
/// When all are done, the first process writes weights.json. All processes throw Interrupted where one is
/// stopped. Progress is that of all processes together; where there are several, they hear of each other's
/// every ten seconds, and the first one calls `hear`.
BlockWeights learn_blocks(const ShardReader& reader, const Partition& partition, const WeightOptions& options,
                          const BlockOptions& files, const ExecutionControl& control = {},
                          const HearLearned& hear = {});

}  // namespace hwgcn
