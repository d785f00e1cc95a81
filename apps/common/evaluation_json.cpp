#include "evaluation_json.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "parameters.hpp"
#include "runs/result_json.hpp"
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

// Every metric that methods are compared by: mean, deviation and interval over the runs, and the runs.
Json scores_json(const MethodResult& result) {
    Json json = Json::object();
    for (const MetricInfo& info : all_metrics()) {
        if (!info.more_is_better) continue;
        const std::optional<SampleSummary> s = result.summary(info.metric);
        Json runs = Json::array();
        for (const double value : result.values(info.metric))
            runs.push_back(known_or_null<Json>(value));
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
        Json one = {{"seed", run.seed}};
        for (const Metric metric : {&Metrics::accuracy, &Metrics::nll, &Metrics::ece})
            one["test_" + metric_info(metric).key] = metric_info(metric).shown(run.test);
        one["best_epoch"] = run.best_epoch;
        one["seconds"] = run.seconds;
        json.push_back(std::move(one));
    }
    return json;
}

Json paired_json(const MethodResult& result, const std::string& first) {
    if (!result.paired) return {};
    return {{"against", first},
            {"metric", metric_info(result.metric).key},
            {"mean_difference", result.paired->mean_difference},
            {"ci95", result.paired->ci95},
            {"p_value", result.paired->p_value},
            {"wilcoxon_p_value", result.paired->wilcoxon_p_value}};
}

Json to_json(const MethodResult& result, const std::string& first) {
    const SampleSummary accuracy = result.accuracy();
    Json json = {{"method", name_of(result.method)},
                 {"mean", accuracy.mean},
                 {"std", accuracy.std},
                 {"ci95", accuracy.ci95},
                 {"accuracies", result.values(&Metrics::accuracy)}};
    for (const MetricInfo& info : all_metrics()) {
        if (info.metric == &Metrics::accuracy) continue;
        const std::optional<SampleSummary> s = result.summary(info.metric);
        json[info.key] = s ? Json(s->mean) : Json();
    }
    json["scores"] = scores_json(result);
    double seconds = 0;
    json["best_epochs"] = Json::array();
    for (const RunResult& run : result.runs) {
        seconds += run.seconds;
        json["best_epochs"].push_back(run.best_epoch);
    }
    json["seconds_per_run"] = seconds / static_cast<double>(result.runs.size());
    json["reused_runs"] = result.reused;
    if (const std::optional<double> other = result.alternative_accuracy()) {
        const std::string own = selection_of(result.method);
        json["mean_by_selection"] = {{own, accuracy.mean}, {own == "loss" ? "accuracy" : "loss", *other}};
    }
    for (const auto& [label, times] : result.choices())
        json["chosen"][label] = times;
    json["paired"] = paired_json(result, first);
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
                 {"metric", metric_info(run.protocol.metric).key},
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

void add_protocol_options(CLI::App& command, EvaluationOptions& protocol) {
    static const std::vector<Parameter<EvaluationOptions>> table = {
        number_parameter("runs", &EvaluationOptions::runs, Range<int>{1, 100000}, "N",
                         "runs of each method, each with a split and a seed of its own"),
        number_parameter(
            "seed", &EvaluationOptions::first_seed, Range<std::uint64_t>{0}, "S",
            "run 1 draws its split and its parameters with this seed, run 2 with the next one, .."),
    };
    add_parameter_option(command, "--runs", table[0], protocol);
    add_parameter_option(command, "--seed,--first-seed", table[1], protocol);
}

void add_metric_option(CLI::App& command, std::optional<Metric>& metric) {
    std::vector<std::string> names;
    for (const MetricInfo& info : all_metrics()) {
        if (info.more_is_better) names.push_back(info.option);
    }
    const std::string expected = join_alternatives(names);
    command
        .add_option_function<std::string>(
            "--metric",
            [&metric, names, expected](const std::string& text) {
                if (std::ranges::find(names, text) == names.end())
                    fail_unexpected("--metric", expected, text);
                metric = std::ranges::find(all_metrics(), text, &MetricInfo::option)->metric;
            },
            fmt::format(
                "what methods are compared by: {}; default accuracy, and auc where one of two classes "
                "has less than 30 % of the known labels",
                expected))
        ->type_name("NAME");
}

Metric metric_of(const std::optional<Metric>& metric, const Dataset& dataset,
                 const EvaluationOptions& protocol, const CommonOptions& common,
                 std::vector<std::string>& notes) {
    if (metric) return *metric;
    const Metric chosen = default_metric(dataset, protocol);
    if (chosen == &Metrics::accuracy) return chosen;
    notes.push_back(
        fmt::format("compared by {}, because one of the two classes is rare; --metric accuracy "
                    "decides otherwise",
                    metric_info(chosen).title));
    note(common, notes.back());
    return chosen;
}

}  // namespace hwgcn::cli
