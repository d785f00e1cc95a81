#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hwgcn/runs/result_json.hpp"

namespace hwgcn {

// What result_json.hpp writes, as values of JSON for those who put them into larger ones.

nlohmann::ordered_json metrics_value(const Metrics& metrics);
Metrics metrics_from_value(const nlohmann::ordered_json& json);

nlohmann::ordered_json choice_value(const Choice& choice);

/// Also as version 0.1 wrote it.
Choice choice_from_value(const nlohmann::ordered_json& json);

nlohmann::ordered_json importances_value(const FeatureImportances& importances, std::size_t top);

}  // namespace hwgcn
