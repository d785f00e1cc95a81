#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hwgcn/methods/choose_method.hpp"
#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

// Results in JSON, written the same way wherever they stand: run.json, --json, the report and Python. Shares
// are in percent.

/// {"nodes", "accuracy", "macro_f1", "nll", "ece"}
nlohmann::ordered_json metrics_json(const Metrics& metrics);
Metrics metrics_from_json(const nlohmann::ordered_json& json);

/// {"reason", "judged_on", "cross_fitted", "chosen", "best", "temperature", "candidates"}; candidates have
/// {"label", "method", "title", "order", "chosen", the metrics, "behind_best", "behind_best_error"}.
nlohmann::ordered_json choice_json(const Choice& choice);

/// Also as version 0.1 wrote it.
Choice choice_from_json(const nlohmann::ordered_json& json);

}  // namespace hwgcn
