#include "evaluation_table.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

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

}  // namespace

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

std::string evaluation_scores(Metric metric, const Dataset& dataset) {
    const std::vector<Metric> further = further_metrics(metric, dataset);
    std::string text = "Test " + metric_info(metric).title;
    for (const Metric one : further)
        text += (one == further.back() ? " and " : ", ") + metric_info(one).title;
    return text;
}

}  // namespace hwgcn::cli
