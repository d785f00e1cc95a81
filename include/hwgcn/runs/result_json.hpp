#pragma once

#include <string>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/explanation/explain.hpp"
#include "hwgcn/explanation/feature_importance.hpp"
#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

// Results in JSON, written the same way wherever they stand: run.json, --json, the report and Python. Shares
// are in percent.

/// {"nodes", "accuracy", "macro_f1", "nll", "ece", "roc_auc", "average_precision", "balanced_accuracy",
/// "mcc"}; the last four are null where they are not known.
std::string metrics_json(const Metrics& metrics);

/// {"reason", "judged_on", "cross_fitted", "chosen", "best", "temperature", "candidates"}; candidates have
/// {"label", "method", "title", "order", "chosen", the metrics, "behind_best", "behind_best_error"}.
std::string choice_json(const Choice& choice);

/// {"node", "kind", "predicted", "runner_up", "label", "probabilities", "margin", "offset", "rest",
/// "by_distance", "neighbors", "neighbors_in_all", "features", "features_in_all"}, with the first `top`
/// neighbours and features.
std::string explanation_json(const Explanation& explanation, const Dataset& dataset, std::size_t top);

/// {"on", "nodes", "metric", "score", "repeats", "columns_in_all", "columns", "notes"}; columns have {"name",
/// "features", "drop", "deviation", "drops"}. The first `top` of them.
std::string importances_json(const FeatureImportances& importances, std::size_t top);

}  // namespace hwgcn
