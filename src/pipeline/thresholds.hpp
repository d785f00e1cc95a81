#pragma once

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// Where labels were held out in turn and a fitted threshold is asked for: the best one for what the chosen
/// method said of them, at the temperature of the choice.
void add_threshold_of_folds(const MeasuredLabels& data, ChosenMethod& chosen,
                            const ExecutionControl& control);

/// The threshold of a run whose `probabilities` are calibrated: that of the choice, one for the validation
/// nodes, or the number asked for. Where neither has nodes of both classes it is 1/2, and a sentence in
/// `notes` says so.
std::optional<Threshold> threshold_for(const MeasuredLabels& data, ConstMatrixView probabilities,
                                       const std::optional<Choice>& choice, std::vector<std::string>& notes);

}  // namespace hwgcn
