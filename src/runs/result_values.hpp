#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hwgcn/pipeline/train_run.hpp"

#include "runs/result_json.hpp"

namespace hwgcn {

// What result_json.hpp writes, as values of JSON for those who put them into larger ones.

/// The number that `key` of an object has; NaN, or nothing, where it is null or not there.
double known_number(const nlohmann::ordered_json& json, const std::string& key);
std::optional<double> number_if_known(const nlohmann::ordered_json& json, const std::string& key);

Metrics metrics_from_value(const nlohmann::ordered_json& json);

/// As run.json has it.
nlohmann::ordered_json result_value(const RunResult& result);
RunResult result_from_value(const nlohmann::ordered_json& json);

/// [[lower, upper, count, mean confidence, accuracy], ..], shares, of the bins that have nodes.
nlohmann::ordered_json bins_value(const std::vector<ReliabilityBin>& bins);
std::vector<ReliabilityBin> bins_from_value(const nlohmann::ordered_json& json);

/// [{"class", "roc_auc", "average_precision", "roc": [[x, y], ..], "precision_recall"}]: areas in percent,
/// points as shares.
nlohmann::ordered_json curves_value(const std::vector<RankingCurve>& curves);
std::vector<RankingCurve> curves_from_value(const nlohmann::ordered_json& json);

/// With what the report shows of the chosen one's held-out nodes.
nlohmann::ordered_json choice_value(const Choice& choice);

/// Also as version 0.1 wrote it.
Choice choice_from_value(const nlohmann::ordered_json& json);

nlohmann::ordered_json importances_value(const FeatureImportances& importances, std::size_t top);

}  // namespace hwgcn
