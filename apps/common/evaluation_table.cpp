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

// What stands beside the score that methods are compared by.
std::vector<Score> further_scores(Score metric, const Dataset& dataset) {
    std::vector<Score> scores = {Score::accuracy, Score::macro_f1};
    if (dataset.classes() == 2) scores = {Score::accuracy, Score::macro_f1, Score::roc_auc};
    std::erase(scores, metric);
    return scores;
}

std::string mean_of(const MethodResult& result, Score score) {
    const std::optional<SampleSummary> summary = result.summary(score);
    return summary ? fmt::format("{:.2f}", summary->mean) : "-";
}

// Mean, deviation and interval; one run has no deviation and no interval.
std::vector<std::string> metric_cells(const MethodResult& result) {
    const std::optional<SampleSummary> s = result.summary(result.metric);
    if (!s || s->count == 1) return {mean_of(result, result.metric), "", ""};
    const double lowest = result.metric == Score::mcc ? -100.0 : 0.0;
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

std::vector<std::string> cells_of(const MethodResult& result, const std::vector<Score>& further) {
    std::vector<std::string> cells = {name_of(result.method)};
    const auto add = [&](const std::vector<std::string>& more) {
        cells.insert(cells.end(), more.begin(), more.end());
    };
    add(metric_cells(result));
    for (const Score score : further)
        add({mean_of(result, score)});
    add(paired_cells(result));
    return cells;
}

std::vector<Column> columns_of(Score metric, const std::vector<Score>& further, const std::string& first) {
    std::vector<Column> columns = {
        {"method", Align::left}, {score_info(metric).title}, {"std"}, {"95 % interval"}};
    for (const Score score : further)
        columns.push_back({score_info(score).title});
    columns.insert(columns.end(), {{"against " + first}, {"95 % interval"}, {"p"}});
    return columns;
}

}  // namespace

std::string evaluation_table(std::span<const MethodResult> results, std::span<const MethodResult> baselines,
                             const Dataset& dataset) {
    const MethodResult& first = results.front();
    const std::vector<Score> further = further_scores(first.metric, dataset);
    Table table(columns_of(first.metric, further, name_of(first.method)));
    for (const std::span<const MethodResult> group : {results, baselines}) {
        for (const MethodResult& result : group)
            table.add(cells_of(result, further));
    }
    return table.text();
}

std::string evaluation_scores(Score metric, const Dataset& dataset) {
    const std::vector<Score> further = further_scores(metric, dataset);
    std::string text = "Test " + score_info(metric).title;
    for (const Score score : further)
        text += (score == further.back() ? " and " : ", ") + score_info(score).title;
    return text;
}

}  // namespace hwgcn::cli
