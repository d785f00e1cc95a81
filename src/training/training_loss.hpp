#pragma once

#include "training/fit.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

/// Some outputs of a field that an epoch computes: nodes to compare the passes at come first.
struct ComputedRows {
    std::vector<Index> nodes;    ///< empty: all outputs
    std::vector<Index> numbers;  ///< 0, 1, 2, .. of their rows
    std::vector<Index> labelled;
    std::vector<Index> taught;
    std::vector<Index> compared;  ///< empty: all
};

/// What an epoch minimises, and the part of it that is reported.
struct TrainingLoss {
    Variable total;
    Variable cross_entropy;  ///< on the training nodes
    std::vector<Pass::Observation> observed = {};
};

/// The rows that the state's epoch computes: all, or those that are labelled and a random sample.
ComputedRows computed_rows(const FitState& state, const Network& network, const LabelledField& train,
                           const FitOptions& options);

/// The loss of the state's epoch, by the scheme of the options. `parameters` are the state's, on the tape,
/// which `rows` must outlive.
TrainingLoss training_loss(Tape& tape, const FitState& state, const Network& network,
                           const LabelledField& train, const ComputedRows& rows,
                           const std::vector<Variable>& parameters, const FitOptions& options);

/// Scores at the labelled nodes of a field.
Variable labelled_scores(Tape& tape, Variable scores, const LabelledField& nodes);

}  // namespace hwgcn
