#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hwgcn/runs/result_json.hpp"

namespace hwgcn {

// What result_json.hpp writes, as values of JSON for those who put them into larger ones.

/// In percent; null for NaN.
nlohmann::ordered_json percent_value(double share);

/// The share that `key` of an object has in percent; NaN where it is null or not there.
double share_from_value(const nlohmann::ordered_json& json, const std::string& key);

nlohmann::ordered_json metrics_value(const Metrics& metrics);
Metrics metrics_from_value(const nlohmann::ordered_json& json);

/// [[lower, upper, count, mean confidence, accuracy], ..], shares, of the bins that have nodes.
nlohmann::ordered_json bins_value(const std::vector<ReliabilityBin>& bins);
std::vector<ReliabilityBin> bins_from_value(const nlohmann::ordered_json& json);

/// [{"class", "roc_auc", "average_precision", "roc": [[x, y], ..], "precision_recall"}]: areas in percent,
/// points as shares.
nlohmann::ordered_json curves_value(const std::vector<RankingCurve>& curves);
std::vector<RankingCurve> curves_from_value(const nlohmann::ordered_json& json);

nlohmann::ordered_json choice_value(const Choice& choice);

/// Also as version 0.1 wrote it.
Choice choice_from_value(const nlohmann::ordered_json& json);

nlohmann::ordered_json importances_value(const FeatureImportances& importances, std::size_t top);

}  // namespace hwgcn
