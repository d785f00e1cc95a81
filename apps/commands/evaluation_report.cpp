#include "evaluation_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pipeline/baselines.hpp"
#include "runs/result_json.hpp"
#include "tables.hpp"

namespace hwgcn::cli {
namespace {

std::string p_value_text(double p) {
    return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

// What is shown with the metric that methods are compared by.
std::vector<Metric> further_metrics(Metric metric, const Dataset& dataset) {
    std::vector<Metric> metrics = {&Metrics::accuracy, &Metrics::macro_f1};
    if (dataset.classes() == 2) metrics.push_back(&Metrics::roc_auc);
    std::erase(metrics, metric);
    return metrics;
}

std::string mean_of(const MethodResult& result, Metric metric) {
    const std::optional<SampleSummary> summary = result.summary(metric);
    return summary ? fmt::format("{:.2f}", summary->mean) : "-";
}

// Mean, deviation and interval; one run has no deviation and no interval.
std::vector<std::string> metric_cells(const MethodResult& result) {
    const std::optional<SampleSummary> s = result.summary(result.metric);
    if (!s || s->count == 1) return {mean_of(result, result.metric), "", ""};
    const double lowest = 100.0 * metric_info(result.metric).least;
    return {fmt::format("{:.2f}", s->mean), fmt::format("{:.2f}", s->std),
            fmt::format("{:.2f} .. {:.2f}", std::max(lowest, s->mean - s->ci95),
                        std::min(100.0, s->mean + s->ci95))};
}

std::vector<std::string> paired_cells(const MethodResult& result) {
    if (!result.paired) return {"", "", ""};
    const PairedComparison& p = *result.paired;
    const std::string difference = fmt::format("{:+.2f}", p.mean_difference);
    if (result.runs.size() == 1) return {difference, "", ""};
    return {difference,
            fmt::format("{:+.2f} .. {:+.2f}", p.mean_difference - p.ci95, p.mean_difference + p.ci95),
            p_value_text(p.p_value)};
}

std::vector<std::string> cells_of(const MethodResult& result, const std::vector<Metric>& further) {
    std::vector<std::string> cells = {name_of(result.method)};
    const auto add = [&](const std::vector<std::string>& more) {
        cells.insert(cells.end(), more.begin(), more.end());
    };
    add(metric_cells(result));
    for (const Metric metric : further)
        add({mean_of(result, metric)});
    add(paired_cells(result));
    return cells;
}

std::vector<Column> columns_of(Metric metric, const std::vector<Metric>& further, const std::string& first) {
    std::vector<Column> columns = {
        {"method", Align::left}, {metric_info(metric).title}, {"std"}, {"95 % interval"}};
    for (const Metric one : further)
        columns.push_back({metric_info(one).title});
    columns.insert(columns.end(), {{"against " + first}, {"95 % interval"}, {"p"}});
    return columns;
}

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

// A line for each method, then for each baseline: the metric that they are compared by, others, and the
// difference to the first method. "-" where a metric is not known.
std::string evaluation_table(std::span<const MethodResult> results, std::span<const MethodResult> baselines,
                             const Dataset& dataset) {
    const MethodResult& first = results.front();
    const std::vector<Metric> further = further_metrics(first.metric, dataset);
    Table table(columns_of(first.metric, further, name_of(first.method)));
    for (const std::span<const MethodResult> group : {results, baselines}) {
        for (const MethodResult& result : group)
            table.add(cells_of(result, further));
    }
    return table.text();
}

// What the table has: "Test accuracy, macro-F1 and ROC AUC".
std::string evaluation_scores(Metric metric, const Dataset& dataset) {
    const std::vector<Metric> further = further_metrics(metric, dataset);
    std::string text = "Test " + metric_info(metric).title;
    for (const Metric one : further)
        text += (one == further.back() ? " and " : ", ") + metric_info(one).title;
    return text;
}

// ", seeds from 8 on", where they are not those that everybody gets.
std::string seeds_text(const EvaluationOptions& protocol) {
    return protocol.first_seed == 0 ? "" : fmt::format(", seeds from {} on", protocol.first_seed);
}

}  // namespace

std::string text_of(const FinishedEvaluation& run) {
    std::string comparison;
    for (const MethodResult& result : run.results) {
        for (const auto& [label, count] : result.choices())
            comparison +=
                fmt::format("{} chose {} in {}.\n", name_of(result.method), label, counted(count, "run"));
    }
    for (const MethodResult& baseline : run.baselines) {
        comparison += fmt::format("For comparison, {}: {}.\n", name_of(baseline.method),
                                  baseline_role(name_of(baseline.method)));
    }
    return fmt::format(
        "{}\n{}\n{} in percent, over {} ({}{}); differences are paired by run.\n"
        "{}{}{}, at most {}.\n",
        heading(printable(run.dataset.name)), evaluation_table(run.results, run.baselines, run.dataset),
        evaluation_scores(run.protocol.metric, run.dataset), counted(run.protocol.runs, "run"),
        printable(run.protocol.split), seeds_text(run.protocol), comparison, duration_text(run.seconds),
        run.processes, memory_text(run.peak_mb));
}

Json json_of(const FinishedEvaluation& run) {
    Json json = {{"dataset", run.dataset.name},
                 {"split", run.protocol.split},
                 {"runs", run.protocol.runs},
                 {"first_seed", run.protocol.first_seed},
                 {"class_weights", text_or_null(run.class_weights)},
                 {"threshold", text_or_null(run.protocol.threshold.text())},
                 {"metric", metric_info(run.protocol.metric).key},
                 {"processes", 1},
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

}  // namespace hwgcn::cli
