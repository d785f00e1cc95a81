#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hwgcn/models/train.hpp"

#include "operators/propagation.hpp"

namespace hwgcn {

/// Whether several runs of a method are trained side by side: networks on a device, unless they train
/// themselves or draw nodes in every epoch.
bool trains_side_by_side(const PreparedGraph& graph, const MethodSettings& settings);

/// What tells a run from the others of its method.
struct SeededSplit {
    const Split* split;
    std::uint64_t seed;
};

struct FinishedModel {
    std::size_t run;     ///< which of those asked for
    TrainedModel model;  ///< what `train` would give
    double seconds;      ///< its share of the time that all took together
};
using ModelFinished = std::function<void(std::vector<FinishedModel> models)>;

/// Trains runs of one method side by side on its device, as many at a time as fit into its memory, and hands
/// them over batch by batch. `same_nodes`: training and validation nodes are those of every run of the whole
/// evaluation; where they are not, all nodes are computed, so that a run has the same bits whichever others
/// are with it. Throws Diverged, naming method and seed, where one of them does, and Interrupted: those of
/// its batch that are finished are handed over before. Progress is in epochs, those of all runs added up.
void train_side_by_side(const PreparedGraph& graph, const Propagation& propagation,
                        const MethodSettings& settings, std::span<const SeededSplit> runs, bool same_nodes,
                        const ModelFinished& finished, const ExecutionControl& control);

}  // namespace hwgcn
