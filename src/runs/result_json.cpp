#include "hwgcn/runs/result_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

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
            json.at(is_old ? "behind_error" : "behind_best_error").get<double>() / 100.0};
}

}  // namespace

Json metrics_value(const Metrics& metrics) {
    return {{"nodes", metrics.count},
            {"accuracy", 100.0 * metrics.accuracy},
            {"macro_f1", 100.0 * metrics.macro_f1},
            {"nll", metrics.nll},
            {"ece", 100.0 * metrics.ece}};
}

Metrics metrics_from_value(const Json& json) {
    Metrics metrics;
    metrics.count = json.at("nodes").get<Index>();
    metrics.accuracy = json.at("accuracy").get<double>() / 100.0;
    metrics.macro_f1 = json.at("macro_f1").get<double>() / 100.0;
    metrics.nll = json.at("nll").get<double>();
    metrics.ece = json.at("ece").get<double>() / 100.0;
    return metrics;
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
        candidates.push_back(std::move(candidate));
    }
    Json json = {{"reason", choice.reason},
                 {"judged_on", choice.judged_on},
                 {"cross_fitted", choice.cross_fitted},
                 {"chosen", choice.chosen},
                 {"best", choice.best},
                 {"temperature", choice.temperature},
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
    json.at("temperature").get_to(choice.temperature);
    json.at("reason").get_to(choice.reason);
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
