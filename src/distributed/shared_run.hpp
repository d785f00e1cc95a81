#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/peers/partition.hpp"
#include "io/shards/shards.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// The part of a sharded dataset that one process has, ready for training. The first process also has the ids
/// of all nodes.
struct GraphPart {
    std::shared_ptr<const Partition> partition;
    PreparedGraph graph;         ///< with the features of own nodes, and no edges
    CsrMatrix<float> adjacency;  ///< of own nodes, with loops; columns are numbers of the whole graph
};
GraphPart read_part(const ShardReader& reader, const std::shared_ptr<const Partition>& partition);

/// The split that the first process makes, told to the others, which have no ids to make it by.
Split shared_split(Peers& peers, const std::function<Split()>& make);

/// Throws InputError, naming those that can, where several processes cannot train a method with these
/// settings on the data.
void check_shared_training(const PreparedGraph& graph, const MethodSettings& settings);

/// `make_operator` on several processes: `weights` have the rows of own nodes. Collective.
Propagation make_shared_operator(const GraphPart& part, const MethodSettings& settings,
                                 const LearnedWeights& weights);

/// A training that several processes share.
struct SharedTask {
    const GraphPart& part;  ///< of this process
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

/// `evaluate` by several processes that share every run (train_shared), one run after the other: methods that
/// check_shared_training allows. `make_operator` is called once for each of them, by all processes. Results
/// are the first process's.
std::vector<MethodResult> evaluate_shared(
    const GraphPart& part, const std::vector<MethodSettings>& methods, const EvaluationOptions& options,
    const std::function<Propagation(const MethodSettings& settings)>& make_operator,
    const ExecutionControl& control);

}  // namespace hwgcn
