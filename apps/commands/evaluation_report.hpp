#pragma once

#include <span>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"

#include "output.hpp"

namespace hwgcn::cli {

/// A comparison of methods, for the two ways of telling about it.
struct FinishedEvaluation {
    const EvaluationOptions& protocol;
    const Dataset& dataset;
    std::span<const MethodResult> results;    ///< of the methods asked for
    std::span<const MethodResult> baselines;  ///< LP and Linear, where they were not
    const std::vector<std::string>& notes;
    std::string data_hash;
    double seconds;
    double peak_mb;
    std::string class_weights;  ///< as ClassWeights::text has it
    std::string processes;      ///< " on 4 processes", where several shared every run
};

std::string text_of(const FinishedEvaluation& run);
Json json_of(const FinishedEvaluation& run);

}  // namespace hwgcn::cli
