#include "evaluation_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/parameter.hpp"

#include "parameters.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

// A setting of `selection` goes to all candidates of an automatic method that have epochs.
std::string selection_of(const AskedMethod& method) {
    const auto* automatic = std::get_if<Automatic>(&method);
    if (automatic == nullptr) return std::get<MethodSettings>(method).value("selection");
    const auto found = std::ranges::find_if(automatic->candidates,
                                            [](const MethodSettings& one) { return one.reads("selection"); });
    return found == automatic->candidates.end() ? "accuracy" : found->value("selection");
}

// Null where it is not known.
Json number_or_null(double number) {
    return std::isnan(number) ? Json() : Json(number);
}

// Every score: mean, deviation and interval over the runs, and the runs.
Json scores_json(const MethodResult& result) {
    Json json = Json::object();
    for (const ScoreInfo& info : all_scores()) {
        const std::optional<SampleSummary> s = result.summary(info.score);
        Json runs = Json::array();
        for (const double value : result.scores(info.score))
            runs.push_back(number_or_null(value));
        json[info.key] = {{"mean", s ? Json(s->mean) : Json()},
                          {"std", s ? Json(s->std) : Json()},
                          {"ci95", s ? Json(s->ci95) : Json()},
                          {"runs", std::move(runs)}};
    }
    return json;
}

Json runs_json(const MethodResult& result) {
    Json json = Json::array();
    for (const RunResult& run : result.runs) {
        json.push_back({{"seed", run.seed},
                        {"test_accuracy", 100.0 * run.test_accuracy},
                        {"test_nll", run.test_nll},
                        {"test_ece", 100.0 * run.test_ece},
                        {"best_epoch", run.best_epoch},
                        {"seconds", run.seconds}});
    }
    return json;
}

Json to_json(const MethodResult& result, const std::string& first) {
    Json json = {{"method", name_of(result.method)},  {"mean", result.accuracy.mean},
                 {"std", result.accuracy.std},        {"ci95", result.accuracy.ci95},
                 {"accuracies", result.accuracies()}, {"macro_f1", result.macro_f1.mean}};
    double nll = 0, ece = 0, seconds = 0;
    std::vector<int> best_epochs;
    for (const RunResult& run : result.runs) {
        nll += run.test_nll;
        ece += 100.0 * run.test_ece;
        seconds += run.seconds;
        best_epochs.push_back(run.best_epoch);
    }
    const auto count = static_cast<double>(result.runs.size());
    json["nll"] = nll / count;
    json["ece"] = ece / count;
    json["scores"] = scores_json(result);
    for (const char* const key : {"roc_auc", "average_precision", "balanced_accuracy", "mcc"})
        json[key] = json["scores"][key]["mean"];
    json["seconds_per_run"] = seconds / count;
    json["best_epochs"] = best_epochs;
    json["reused_runs"] = result.reused;
    if (const std::optional<double> other = result.alternative_accuracy()) {
        const std::string own = selection_of(result.method);
        json["mean_by_selection"] = {{own, result.accuracy.mean},
                                     {own == "loss" ? "accuracy" : "loss", *other}};
    }
    for (const auto& [label, times] : result.choices())
        json["chosen"][label] = times;
    if (result.paired) {
        json["paired"] = {{"against", first},
                          {"metric", score_info(result.metric).key},
                          {"mean_difference", result.paired->mean_difference},
                          {"ci95", result.paired->ci95},
                          {"p_value", result.paired->p_value},
                          {"wilcoxon_p_value", result.paired->wilcoxon_p_value}};
    } else {
        json["paired"] = nullptr;
    }
    for (const Setting& setting : listed_settings(result.method))
        json["settings"][setting.name] = setting.text;
    json["single_runs"] = runs_json(result);
    return json;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

}  // namespace

Json evaluation_json(const FinishedEvaluation& run) {
    Json json = {{"dataset", run.dataset.name},
                 {"split", run.protocol.split},
                 {"runs", run.protocol.runs},
                 {"first_seed", run.protocol.first_seed},
                 {"class_weights", text_or_null(run.class_weights)},
                 {"threshold", text_or_null(run.protocol.threshold.text())},
                 {"metric", score_info(run.protocol.metric).key},
                 {"processes", run.processes},
                 {"seconds", run.seconds},
                 {"peak_mb", run.peak_mb},
                 {"results", Json::array()},
                 {"baselines", Json::array()},
                 {"dataset_sha256", run.data_hash},
                 {"notes", run.notes}};
    const std::string& first = name_of(run.results.front().method);
    for (const MethodResult& result : run.results)
        json["results"].push_back(to_json(result, first));
    for (const MethodResult& result : run.baselines)
        json["baselines"].push_back(to_json(result, first));
    return json;
}

void add_metric_option(CLI::App& command, std::optional<Score>& metric) {
    std::vector<std::string> names;
    for (const ScoreInfo& info : all_scores())
        names.push_back(info.option);
    const std::string expected = join_alternatives(names);
    command
        .add_option_function<std::string>(
            "--metric",
            [&metric, expected](const std::string& text) {
                const auto found = std::ranges::find(all_scores(), text, &ScoreInfo::option);
                if (found == all_scores().end()) fail_unexpected("--metric", expected, text);
                metric = found->score;
            },
            fmt::format(
                "what methods are compared by: {}; default accuracy, and auc where one of two classes "
                "has less than 30 % of the known labels",
                expected))
        ->type_name("NAME");
}

Score metric_of(const std::optional<Score>& metric, const Dataset& dataset, const EvaluationOptions& protocol,
                const CommonOptions& common, std::vector<std::string>& notes) {
    if (metric) return *metric;
    const Score chosen = default_metric(dataset, protocol);
    if (chosen == Score::accuracy) return chosen;
    notes.push_back(
        fmt::format("compared by {}, because one of the two classes is rare; --metric accuracy "
                    "decides otherwise",
                    score_info(chosen).title));
    note(common, notes.back());
    return chosen;
}

}  // namespace hwgcn::cli
