#pragma once

#include <span>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"

namespace hwgcn::cli {

/// A line for each method, then for each baseline: the metric that they are compared by, others, and the
/// difference to the first method. "-" where a metric is not known.
std::string evaluation_table(std::span<const MethodResult> results, std::span<const MethodResult> baselines,
                             const Dataset& dataset);

/// What the table has: "Test accuracy, macro-F1 and ROC AUC".
std::string evaluation_scores(Metric metric, const Dataset& dataset);

}  // namespace hwgcn::cli
