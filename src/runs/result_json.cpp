#include "hwgcn/runs/result_json.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "hwgcn/training/selection.hpp"

#include "runs/result_values.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

TriedMethod candidate_from(const Json& json) {
    const bool is_old = json.contains("held_out");
    return {json.at("label").get<std::string>(),
            json.at("method").get<std::string>(),
            json.at("order").get<int>(),
            metrics_from_value(is_old ? json.at("held_out") : json),
            json.at(is_old ? "behind" : "behind_best").get<double>() / 100.0,
            json.at(is_old ? "behind_error" : "behind_best_error").get<double>() / 100.0,
            json.value("epochs", 0),
            json.value("dropped", false)};
}

// Four digits are more than a curve shows.
Json points_value(const std::vector<CurvePoint>& points) {
    Json json = Json::array();
    const auto rounded = [](double share) { return std::round(1e4 * share) / 1e4; };
    for (const CurvePoint& point : points)
        json.push_back({rounded(point.x), rounded(point.y)});
    return json;
}

std::vector<CurvePoint> points_from(const Json& json) {
    std::vector<CurvePoint> points;
    for (const Json& point : json)
        points.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    return points;
}

}  // namespace

Json percent_value(double share) {
    return std::isnan(share) ? Json() : Json(100.0 * share);
}

double share_from_value(const Json& json, const std::string& key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? Metrics::not_known : found->get<double>() / 100.0;
}

Json metrics_value(const Metrics& metrics) {
    return {{"nodes", metrics.count},
            {"accuracy", 100.0 * metrics.accuracy},
            {"macro_f1", 100.0 * metrics.macro_f1},
            {"nll", metrics.nll},
            {"ece", 100.0 * metrics.ece},
            {"roc_auc", percent_value(metrics.roc_auc)},
            {"average_precision", percent_value(metrics.average_precision)},
            {"balanced_accuracy", percent_value(metrics.balanced_accuracy)},
            {"mcc", percent_value(metrics.mcc)}};
}

Metrics metrics_from_value(const Json& json) {
    Metrics metrics;
    metrics.count = json.at("nodes").get<Index>();
    metrics.accuracy = json.at("accuracy").get<double>() / 100.0;
    metrics.macro_f1 = json.at("macro_f1").get<double>() / 100.0;
    metrics.nll = json.at("nll").get<double>();
    metrics.ece = json.at("ece").get<double>() / 100.0;
    metrics.roc_auc = share_from_value(json, "roc_auc");
    metrics.average_precision = share_from_value(json, "average_precision");
    metrics.balanced_accuracy = share_from_value(json, "balanced_accuracy");
    metrics.mcc = share_from_value(json, "mcc");
    return metrics;
}

Json bins_value(const std::vector<ReliabilityBin>& bins) {
    Json json = Json::array();
    for (const ReliabilityBin& bin : bins) {
        if (bin.count > 0)
            json.push_back({bin.lower, bin.upper, bin.count, bin.mean_confidence, bin.accuracy});
    }
    return json;
}

std::vector<ReliabilityBin> bins_from_value(const Json& json) {
    std::vector<ReliabilityBin> bins;
    for (const Json& bin : json) {
        bins.push_back({bin.at(0).get<double>(), bin.at(1).get<double>(), bin.at(2).get<Index>(),
                        bin.at(3).get<double>(), bin.at(4).get<double>()});
    }
    return bins;
}

Json curves_value(const std::vector<RankingCurve>& curves) {
    Json json = Json::array();
    for (const RankingCurve& curve : curves) {
        json.push_back({{"class", curve.label},
                        {"roc_auc", percent_value(curve.roc_auc)},
                        {"average_precision", percent_value(curve.average_precision)},
                        {"roc", points_value(curve.roc)},
                        {"precision_recall", points_value(curve.precision_recall)}});
    }
    return json;
}

std::vector<RankingCurve> curves_from_value(const Json& json) {
    std::vector<RankingCurve> curves;
    for (const Json& curve : json) {
        curves.push_back({curve.at("class").get<Index>(), share_from_value(curve, "roc_auc"),
                          share_from_value(curve, "average_precision"), points_from(curve.at("roc")),
                          points_from(curve.at("precision_recall"))});
    }
    return curves;
}

Json choice_value(const Choice& choice) {
    Json candidates = Json::array();
    for (std::size_t k = 0; k < choice.tried.size(); ++k) {
        const TriedMethod& tried = choice.tried[k];
        Json candidate = {{"label", tried.label},
                          {"method", tried.method},
                          {"title", method_info(tried.method).title},
                          {"order", tried.order},
                          {"chosen", k == choice.chosen}};
        candidate.update(metrics_value(tried.held_out));
        candidate["behind_best"] = 100.0 * tried.behind;
        candidate["behind_best_error"] = 100.0 * tried.behind_error;
        candidate["epochs"] = tried.epochs;
        candidate["dropped"] = tried.dropped;
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
    if (choice.threshold) json["threshold"] = *choice.threshold;
    return json;
}

Choice choice_from_value(const Json& json) {
    Choice choice;
    json.at("chosen").get_to(choice.chosen);
    json.at("best").get_to(choice.best);
    json.at("judged_on").get_to(choice.judged_on);
    json.at("cross_fitted").get_to(choice.cross_fitted);
    json.at("temperature").get_to(choice.calibration.temperature);
    choice.calibration.smoothing = json.value("smoothing", 0.0);  // earlier runs have none
    json.at("reason").get_to(choice.reason);
    choice.selection = selection_named(json.value("selection", "accuracy"));
    if (json.contains("threshold")) choice.threshold = json["threshold"].get<double>();
    for (const Json& candidate : json.at(json.contains("tried") ? "tried" : "candidates"))
        choice.tried.push_back(candidate_from(candidate));
    return choice;
}

std::string metrics_json(const Metrics& metrics) {
    return metrics_value(metrics).dump();
}

std::string choice_json(const Choice& choice) {
    return choice_value(choice).dump();
}

}  // namespace hwgcn
