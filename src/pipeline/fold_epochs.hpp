#pragma once

#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// Whether nothing would say how good a result on own data is, or stop a training in time. Without validation
/// nodes: a network for whose epochs the user gave no number; without test nodes, too, any other method.
bool needs_folds(const PreparedGraph& graph, const MethodSettings& settings, const Split& split);

/// Judges a method as an automatic choice judges: by training labels that are held out in turn, without a
/// look at the other parts of the split. Of all, half, a quarter and so on of the epochs of a network,
/// `chosen` gets the most that are not clearly worse than the best; of other methods, what they learn without
/// labels. The notes say what was found, and which baseline does clearly better on the same labels.
void judge_by_folds(const TrainingTask& task, ChosenMethod& chosen, const ExecutionControl& control,
                    std::vector<std::string>& notes);

}  // namespace hwgcn
