#pragma once

#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// Fits temperature and threshold of a trained run to labels that were not learned from, applies them to its
/// probabilities, and measures these on the lists of the split.
void calibrate_and_measure(const TrainingTask& task, const ExecutionControl& control, TrainedRun& run,
                           std::vector<std::string>& notes);

}  // namespace hwgcn
