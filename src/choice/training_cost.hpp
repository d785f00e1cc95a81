#pragma once

#include "hwgcn/dataset/split.hpp"
#include "hwgcn/models/prepared_graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// What a training takes, counted from the sizes of graph, features and parameters: the same numbers on every
/// machine.
struct TrainingCost {
    int epochs = 1;             ///< at most; 1 for methods without epochs
    double work_per_epoch = 0;  ///< multiplications; those of large dense matrices count less, being faster
    double preparation = 0;     ///< multiplications before the first epoch
    double bytes = 0;           ///< of memory while it trains
    double kept_bytes = 0;      ///< of that, between two epochs
    double shared_bytes = 0;    ///< on top of that: propagated features, once for all who read them

    double work() const { return preparation + epochs * work_per_epoch; }
};

/// The cost of training a method once on a split. Operators are not needed for it: what the learned weights
/// add is guessed.
TrainingCost training_cost(const PreparedGraph& graph, const MethodSettings& settings, const Split& split);

/// Feature entries that learning the weights of an order visits, guessed from the rings of a few nodes.
double learning_entries(const PreparedGraph& graph, const WeightOptions& options, int order,
                        const ExecutionControl& control);

/// What learning the weights of a method takes, as multiplications: all its orders. 0 on the plain graph.
double weights_work(const PreparedGraph& graph, const MethodSettings& settings,
                    const ExecutionControl& control);

/// Bytes of what all candidates share: graph, features, and the operator of the plain graph.
double shared_bytes(const PreparedGraph& graph);

/// How long so much work takes on two cores, roughly: for people, never for a decision.
double seconds_on_two_cores(double work);

}  // namespace hwgcn
