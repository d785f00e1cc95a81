#pragma once

#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// A sentence where weights of classes were asked for and change nothing.
std::vector<std::string> notes_on_class_weights(const ClassWeights& asked, const TrainedModel& model);

/// Fits temperature and threshold of a trained run to labels that were not learned from, applies them to its
/// probabilities, and measures these on the lists of the split: its result but for the seed, what takes the
/// model once more (alternative_accuracy), time and notes.
void calibrate_and_measure(const MeasuredLabels& data, const ExecutionControl& control, TrainedRun& run,
                           std::vector<std::string>& notes);

}  // namespace hwgcn
