#pragma once

#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// Whether nothing would stop a training in time: a network on own data, without validation nodes, for whose
/// epochs the user gave no number.
bool needs_fold_epochs(const PreparedGraph& graph, const MethodSettings& settings, const Split& split);

/// The settings with the most epochs that are not clearly worse than the best number, judged as an automatic
/// choice judges: by training labels that are held out in turn, without a look at the other parts of the
/// split. All, half, a quarter and so on of the epochs are tried. The notes say what was found, and
/// which baseline does clearly better on the same labels.
MethodSettings with_fold_epochs(const TrainingTask& task, const MethodSettings& settings,
                                const ExecutionControl& control, std::vector<std::string>& notes);

}  // namespace hwgcn
