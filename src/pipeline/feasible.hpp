#pragma once

#include <string>
#include <vector>

#include "hwgcn/models/prepared_graph.hpp"
#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// Leaves out the candidates that the graph does not allow: without features those that need them, and what
/// is too much work (large rings, many walks), by counted work, so that the same data has the same candidates
/// on every machine. Where the dataset has no features, those that are for this case alone come first,
/// and then those that need none. Adds to `notes` what was left out, and where features come from.
/// Throws InputError where none is left, and for a setting that only candidates read which are not tried.
Automatic feasible_candidates(const PreparedGraph& graph, Automatic automatic,
                              const ExecutionControl& control, std::vector<std::string>& notes);

/// The same for whatever was asked for: a single method stays as it is. Where structural features are used,
/// `notes` says so.
AskedMethod feasible(const PreparedGraph& graph, AskedMethod method, const ExecutionControl& control,
                     std::vector<std::string>& notes);

/// The second half of `train_run`: choose -> operator -> train -> predict -> calibrate -> measure, for
/// candidates that are feasible already. Only training labels reach the gradients; validation labels choose
/// the method and the epoch and fit the temperature and the threshold; test labels are only measured by.
/// `selection=auto` is resolved first.
TrainedRun train_feasible(const TrainingTask& task, const ExecutionControl& control);

}  // namespace hwgcn
