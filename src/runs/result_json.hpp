#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/explanation/explain.hpp"
#include "hwgcn/explanation/feature_importance.hpp"
#include "hwgcn/metrics/metrics.hpp"

#include "training/selection.hpp"

namespace hwgcn {

// Results in JSON, written the same way wherever they stand: run.json, --json, the report and Python. Shares
// are in percent, and what is not known is null. `Json` is nlohmann::ordered_json, which these headers do not
// need.

template <typename Json>
Json known_or_null(double number) {
    return std::isnan(number) ? Json() : Json(number);
}

/// {"nodes", and all_metrics() by their keys}
template <typename Json>
Json metrics_object(const Metrics& metrics) {
    Json json = {{"nodes", metrics.count}};
    for (const MetricInfo& info : all_metrics())
        json[info.key] = known_or_null<Json>(info.shown(metrics));
    return json;
}
std::string metrics_json(const Metrics& metrics);

/// {"reason", "judged_on", "cross_fitted", "chosen", "best", "temperature", "candidates"}; candidates have
/// {"label", "method", "title", "order", "chosen", the metrics, "behind_best", "behind_best_error"}. Where an
/// average was taken, they have their "weight" in it, and "average" has its metrics, "gain" and "gain_error".
template <typename Json>
Json choice_object(const Choice& choice) {
    Json candidates = Json::array();
    for (std::size_t k = 0; k < choice.tried.size(); ++k) {
        const TriedMethod& tried = choice.tried[k];
        Json candidate = {{"label", tried.label},
                          {"method", tried.method},
                          {"title", method_info(tried.method).title},
                          {"order", tried.order},
                          {"chosen", k == choice.chosen}};
        candidate.update(metrics_object<Json>(tried.held_out));
        candidate["behind_best"] = 100.0 * tried.behind;
        candidate["behind_best_error"] = 100.0 * tried.behind_error;
        candidate["epochs"] = tried.epochs;
        candidate["dropped"] = tried.dropped;
        if (choice.average) candidate["weight"] = tried.share.weight;
        if (choice.average) candidate["own_temperature"] = tried.share.temperature;
        candidates.push_back(std::move(candidate));
    }
    Json json = {{"reason", choice.reason},
                 {"judged_on", choice.judged_on},
                 {"selection", selection_name(choice.selection)},
                 {"cross_fitted", choice.cross_fitted},
                 {"chosen", choice.chosen},
                 {"best", choice.best},
                 {"temperature", choice.calibration.temperature},
                 {"smoothing", choice.calibration.smoothing},
                 {"candidates", std::move(candidates)}};
    if (choice.expected_accuracy)
        json["expected_accuracy"] = {100.0 * choice.expected_accuracy->low,
                                     100.0 * choice.expected_accuracy->high};
    if (choice.threshold) json["threshold"] = *choice.threshold;
    if (choice.average) {
        json["average"] = metrics_object<Json>(choice.average->held_out);
        json["average"]["gain"] = 100.0 * choice.average->gain;
        json["average"]["gain_error"] = 100.0 * choice.average->gain_error;
        json["average"]["calibrated_nll"] = choice.average->calibrated_nll;
    }
    return json;
}
std::string choice_json(const Choice& choice);

/// {"node", "kind", "predicted", "runner_up", "label", "probabilities", "margin", "offset", "rest",
/// "by_distance", "neighbors", "neighbors_in_all", "features", "features_in_all"}, with the first `top`
/// neighbors and features.
std::string explanation_json(const Explanation& explanation, const Dataset& dataset, std::size_t top);

/// {"on", "nodes", "metric", "score", "repeats", "columns_in_all", "columns", "notes"}; columns have {"name",
/// "features", "drop", "deviation", "drops"}. The first `top` of them.
std::string importances_json(const FeatureImportances& importances, std::size_t top);

}  // namespace hwgcn
