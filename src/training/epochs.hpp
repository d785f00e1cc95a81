#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "training/fit.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

/// The parameters on a tape, to be learned where there is memory for their gradients.
std::vector<Variable> put_on(Tape& tape, std::span<const TrainableMatrix> parameters,
                             std::span<DenseMatrix> gradients);

/// The labels of a field, those elsewhere too.
std::vector<Index> labels_of_all(const LabelledField& labelled);

/// One of the runs that are trained together: what is known of it so far, and what it is judged by.
struct RunRecord {
    FitState* state;
    const LabelledField* validation;              ///< the labels of it
    Selection selection;                          ///< one that these labels allow
    std::vector<std::int64_t> class_counts = {};  ///< of all labels
};

/// A run judged by the criterion that was asked for, or what its labels allow.
RunRecord run_record(FitState& state, const LabelledField& validation, Selection asked);

/// Trains on, for at most `epochs` epochs or until all runs are finished. The parameters are those of
/// `matrices`: of one run, or on a device of several side by side, which have fields of one shape; `train`
/// and `validation` are those of the first. All else that changes is in the states of the runs. See
/// continue_fit.
void run_epochs(FitState& matrices, std::span<const RunRecord> runs, const Network& network,
                const LabelledField& train, const LabelledField& validation, const FitOptions& options,
                const ExecutionControl& control, int epochs);

}  // namespace hwgcn
