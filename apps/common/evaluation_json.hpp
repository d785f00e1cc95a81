#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"

#include "common_options.hpp"
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
    int processes = 1;          ///< that shared every run
};

/// The same keys whoever evaluated: one process, or several.
Json evaluation_json(const FinishedEvaluation& run);

/// --runs and --seed.
void add_protocol_options(CLI::App& command, EvaluationOptions& protocol);

/// --metric, and what it is where it is not given, which is noted unless it is accuracy.
void add_metric_option(CLI::App& command, std::optional<Metric>& metric);
Metric metric_of(const std::optional<Metric>& metric, const Dataset& dataset,
                 const EvaluationOptions& protocol, const CommonOptions& common,
                 std::vector<std::string>& notes);

}  // namespace hwgcn::cli
