#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"

namespace hwgcn {

/// A run that is to be done: which method, which split.
struct EvaluationTask {
    std::size_t method;
    std::size_t run;
    std::string key;  ///< in the journal
};

/// What all tasks of an evaluation share.
struct Evaluation {
    const PreparedGraph& graph;
    OperatorPool& operators;
    const std::vector<AskedMethod>& methods;
    const std::vector<Split>& splits;
    const EvaluationOptions& options;
    RunJournal* journal;  ///< null: none
    std::vector<MethodResult>& results;

    /// The training that a task asks for.
    TrainingTask training(const EvaluationTask& task) const;

    /// Puts a finished training where it belongs, and into the journal. For several threads.
    void finish(const EvaluationTask& task, const TrainedRun& run) const;
};

/// Compares each method with the first one.
void compare_with_first(std::vector<MethodResult>& results);

/// Does those of the tasks whose method is trained side by side on a device, and returns the others. Progress
/// is in runs.
std::vector<EvaluationTask> run_side_by_side(const Evaluation& evaluation, std::vector<EvaluationTask> tasks,
                                             const ExecutionControl& control);

}  // namespace hwgcn
