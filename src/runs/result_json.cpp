#include "runs/result_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runs/result_values.hpp"
#include "training/selection.hpp"

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

double known_number(const Json& json, const std::string& key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? Metrics::not_known : found->get<double>();
}

std::optional<double> number_if_known(const Json& json, const std::string& key) {
    const double number = known_number(json, key);
    return std::isnan(number) ? std::nullopt : std::optional(number);
}

Metrics metrics_from_value(const Json& json) {
    Metrics metrics;
    metrics.count = json.at("nodes").get<Index>();
    for (const MetricInfo& info : all_metrics())
        metrics.*info.metric = known_number(json, info.key) / info.unit();
    return metrics;
}

// Methods without epochs have 0 as the accuracy of the other selection.
Json result_value(const RunResult& result) {
    Json json = {{"epochs", result.epochs},
                 {"best_epoch", result.best_epoch},
                 {"other_selection",
                  {{"epoch", result.alternative_epoch},
                   {"test_accuracy", 100.0 * result.alternative_accuracy.value_or(0.0)}}},
                 {"seconds", result.seconds},
                 {"raw_ece", known_or_null<Json>(100.0 * result.raw_ece)}};
    for (const auto& [name, metrics] : result.parts())
        json[name] = metrics_object<Json>(*metrics);
    json["baselines"] = Json::object();
    for (const Baseline& baseline : result.baselines) {
        json["baselines"][baseline.method] = {{"validation", metrics_object<Json>(baseline.validation)},
                                              {"test", metrics_object<Json>(baseline.test)}};
    }
    return json;
}

RunResult result_from_value(const Json& json) {
    RunResult result;
    json.at("epochs").get_to(result.epochs);
    json.at("best_epoch").get_to(result.best_epoch);
    const Json other = json.value("other_selection", Json{{"epoch", 0}});
    other.at("epoch").get_to(result.alternative_epoch);
    if (result.alternative_epoch > 0)
        result.alternative_accuracy = other.at("test_accuracy").get<double>() / 100.0;
    json.at("seconds").get_to(result.seconds);
    result.raw_ece = known_number(json, "raw_ece") / 100.0;
    result.train = metrics_from_value(json.at("train"));
    result.validation = metrics_from_value(json.at("validation"));
    result.test = metrics_from_value(json.at("test"));
    const Json baselines = json.value("baselines", Json::object());
    for (const auto& [method, parts] : baselines.items())
        result.baselines.push_back(
            {method, metrics_from_value(parts.at("validation")), metrics_from_value(parts.at("test"))});
    return result;
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
                        {"roc_auc", known_or_null<Json>(100.0 * curve.roc_auc)},
                        {"average_precision", known_or_null<Json>(100.0 * curve.average_precision)},
                        {"roc", points_value(curve.roc)},
                        {"precision_recall", points_value(curve.precision_recall)}});
    }
    return json;
}

std::vector<RankingCurve> curves_from_value(const Json& json) {
    std::vector<RankingCurve> curves;
    for (const Json& curve : json) {
        curves.push_back({curve.at("class").get<Index>(), known_number(curve, "roc_auc") / 100.0,
                          known_number(curve, "average_precision") / 100.0, points_from(curve.at("roc")),
                          points_from(curve.at("precision_recall"))});
    }
    return curves;
}

Json choice_value(const Choice& choice) {
    Json json = choice_object<Json>(choice);
    if (choice.tried.empty()) return json;
    const Metrics& held_out = choice.tried[choice.chosen].held_out;
    json["confusion"] = held_out.confusion;
    json["reliability"] = bins_value(held_out.reliability);
    json["curves"] = curves_value(held_out.curves);
    if (choice.calibrated) {
        json["calibrated"] = metrics_object<Json>(*choice.calibrated);
        json["calibrated"]["reliability"] = bins_value(choice.calibrated->reliability);
    }
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
    if (json.contains("expected_accuracy")) {
        const auto [low, high] = json["expected_accuracy"].get<std::array<double, 2>>();
        choice.expected_accuracy = {low / 100.0, high / 100.0};
    }
    for (const Json& candidate : json.at(json.contains("tried") ? "tried" : "candidates")) {
        choice.tried.push_back(candidate_from(candidate));
        choice.tried.back().share = {candidate.value("weight", 0.0), candidate.value("own_temperature", 1.0)};
    }
    if (json.contains("average")) {
        const Json& average = json.at("average");
        choice.average = {metrics_from_value(average), average.at("gain").get<double>() / 100.0,
                          average.at("gain_error").get<double>() / 100.0,
                          average.at("calibrated_nll").get<double>()};
    }
    if (choice.chosen >= choice.tried.size() || !json.contains("confusion")) return choice;
    Metrics& held_out = choice.tried[choice.chosen].held_out;
    json.at("confusion").get_to(held_out.confusion);
    held_out.reliability = bins_from_value(json.at("reliability"));
    held_out.curves = curves_from_value(json.value("curves", Json::array()));
    if (json.contains("calibrated")) {
        choice.calibrated = metrics_from_value(json.at("calibrated"));
        choice.calibrated->reliability = bins_from_value(json.at("calibrated").at("reliability"));
    }
    return choice;
}

std::string metrics_json(const Metrics& metrics) {
    return metrics_object<Json>(metrics).dump();
}

std::string choice_json(const Choice& choice) {
    return choice_object<Json>(choice).dump();
}

}  // namespace hwgcn
