#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hwgcn/io/shards.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/tensor/node_blocks.hpp"

namespace hwgcn {

/// Who has which blocks while a network is trained: about as many nodes each, or as much of the operator
/// where it is of higher order.
std::shared_ptr<const Partition> training_partition(const ShardReader& reader, bool higher_order,
                                                    Peers& peers);

/// The part of a sharded dataset that one process has, ready for training. The first process also has the ids
/// of all nodes.
PreparedGraph read_part(const ShardReader& reader, const std::shared_ptr<const Partition>& partition);

/// The split that the first process makes, told to the others, which have no ids to make it by.
Split shared_split(Peers& peers, const std::function<Split()>& make);

/// Throws InputError, naming those that can, where several processes cannot train a method with these
/// settings on the data.
void check_shared_training(const PreparedGraph& graph, const MethodSettings& settings);

/// The rows of this process of the learned weights in a folder where all blocks are (learn_blocks).
LearnedWeights read_own_weights(const ShardReader& reader, const Partition& partition,
                                const WeightOptions& options, const std::filesystem::path& folder);

/// A training that several processes share.
struct SharedTask {
    const PreparedGraph& graph;  ///< of this process
    const Propagation& propagation;
    const MethodSettings& settings;
    const Split& split;  ///< of all nodes, the same everywhere
    std::uint64_t seed = 0;
    ThresholdRule threshold = {};
    Checkpoints checkpoints = {};
};

/// train -> predict -> calibrate -> measure. All processes get the same model; the probabilities are those of
/// a process's own nodes, calibrated. Metrics are the first process's. Model, probabilities and metrics have
/// the bits of `train_run` on the same shards.
TrainedRun train_shared(const SharedTask& task, const ExecutionControl& control);

/// What is learned about single nodes is, in a shared training, of a process's own nodes. Of the parameters
/// of a whole model the part of one process, and the whole again at the first one (elsewhere it has no rows);
/// other parameters are the same everywhere. The second is collective.
std::vector<TrainableMatrix> own_parameters(const Partition& partition, const MethodSettings& settings,
                                            std::vector<TrainableMatrix> whole);
std::vector<TrainableMatrix> whole_parameters(const Partition& partition, const MethodSettings& settings,
                                              std::vector<TrainableMatrix> own);

/// Calls take(probabilities, first node) at the first process for the part of each process, in order.
void gather_parts(const Partition& partition, ConstMatrixView own,
                  const std::function<void(ConstMatrixView part, Index first)>& take);

}  // namespace hwgcn
