#pragma once

#include "training/fit.hpp"

namespace hwgcn {

/// What an epoch minimises, and the part of it that is reported.
struct TrainingLoss {
    Variable total;
    Variable cross_entropy;  ///< on the training nodes
};

/// The loss of the state's epoch, by the scheme of the options. `parameters` are the state's, on the tape.
TrainingLoss training_loss(Tape& tape, const FitState& state, const Network& network,
                           const LabelledField& train, const std::vector<Variable>& parameters,
                           const FitOptions& options);

/// Scores at the labelled nodes of a field.
Variable labelled_scores(Tape& tape, Variable scores, const LabelledField& nodes);

}  // namespace hwgcn
