#include "order_curves.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "paper_targets.hpp"
#include "report/line_chart.hpp"
#include "report/markdown.hpp"

namespace hwgcn::experiments {
namespace {

AskedMethod settings_with(const Plan& plan, const std::string& dataset, int order,
                          Neighborhood neighborhood) {
    AskedMethod method = settings_of(plan, order == 1 ? "gcn" : "hwgcn", dataset);
    if (order == 1) return method;
    apply_settings(method, {{"order", std::to_string(order)},
                            {"neighborhood", neighborhood == Neighborhood::power ? "power" : "distance"}});
    return method;
}

struct Curve {
    std::string dataset;
    std::string setting;
    int asked;                            // runs
    std::vector<SampleSummary> accuracy;  // K = 1, 2, ..; without a run where none is finished
};

// The paper draws curves and prints one point of them: the published order.
std::optional<double> paper_point(const Curve& curve, int order, Neighborhood neighborhood) {
    if (order == 1) return paper_accuracy(curve.dataset, "gcn", curve.setting);
    if (neighborhood == Neighborhood::distance && published_order(curve.dataset) == order)
        return paper_accuracy(curve.dataset, "hwgcn", curve.setting);
    return std::nullopt;
}

Figure figure(const Curve& curve, const std::string& name) {
    LineSeries series{"HWGCN", {}, {}, {}};
    for (std::size_t k = 0; k < curve.accuracy.size(); ++k) {
        if (curve.accuracy[k].count == 0) continue;
        series.x.push_back(static_cast<double>(k + 1));
        series.y.push_back(curve.accuracy[k].mean);
        series.half_interval.push_back(curve.accuracy[k].ci95);
    }
    LineChart chart{dataset_title(curve.dataset) + ", " + setting_title(curve.setting),
                    "orders up to K (1: GCN)",
                    "test accuracy (%), 95 % interval",
                    {series},
                    {}};
    if (const auto paper = paper_accuracy(curve.dataset, "hwgcn", curve.setting))
        chart.reference_lines.push_back({"HWGCN in the paper", *paper});
    std::string setting = curve.setting;
    std::erase(setting, ':');
    return {name + "-" + setting + "-" + curve.dataset, line_chart_svg(chart)};
}

std::string table(const std::vector<Curve>& curves, const std::string& setting) {
    MarkdownTable result{{{"dataset"}}, {}};
    for (const Curve& curve : curves) {
        if (curve.setting != setting) continue;
        for (std::size_t k = result.columns.size(); k <= curve.accuracy.size(); ++k)
            result.columns.push_back({k == 1 ? "GCN" : fmt::format("K = {}", k), true});
    }
    for (const Curve& curve : curves) {
        if (curve.setting != setting) continue;
        std::vector<std::string> row = {dataset_title(curve.dataset)};
        const auto best = std::max_element(curve.accuracy.begin(), curve.accuracy.end(),
                                           [](const auto& a, const auto& b) { return a.mean < b.mean; });
        for (auto k = curve.accuracy.begin(); k != curve.accuracy.end(); ++k) {
            const char* emphasis = k == best ? "**" : "";
            std::string cell = fmt::format("{0}{1:.2f}{0} ± {2:.2f}", emphasis, k->mean, k->ci95);
            if (k->count < curve.asked) cell += fmt::format(" ({} of {})", k->count, curve.asked);
            row.push_back(k->count > 0 ? cell : "–");
        }
        row.resize(result.columns.size());
        result.rows.push_back(std::move(row));
    }
    return markdown_text(result);
}

}  // namespace

Outcome order_curves(ExperimentRunner& runner, const Plan& plan, const std::vector<std::string>& known,
                     Neighborhood neighborhood, const std::string& figure_name) {
    const char* kind = neighborhood == Neighborhood::power ? "powers up to " : "";
    const std::vector<std::string> settings = chosen_settings(plan, known);
    Outcome outcome;
    std::vector<Curve> curves;
    for (const std::string& dataset : plan.datasets) {
        for (const std::string& setting : settings)
            curves.push_back({dataset, setting, runs_of(plan, setting), {}});
        // Order by order: one operator is in memory at a time.
        for (int order = 1; order <= plan.max_order; ++order) {
            const AskedMethod method = settings_with(plan, dataset, order, neighborhood);
            for (Curve& curve : curves) {
                if (curve.dataset != dataset) continue;
                const MethodResult result = runner.run(dataset, {method}, curve.setting, curve.asked).front();
                curve.accuracy.push_back(result.accuracy());
                add_cell(outcome.cells, result, dataset,
                         fmt::format("{}, {}K={}", curve.setting, kind, order),
                         paper_point(curve, order, neighborhood), curve.asked);
            }
            runner.forget_operators();
        }
    }
    outcome.text = "Mean test accuracy in percent ± half the 95 % interval; the best of a row is bold.\n\n";
    for (const std::string& setting : settings)
        outcome.text += markdown_heading(3, setting_title(setting)) + table(curves, setting) + "\n";
    for (const Curve& curve : curves) {
        if (std::ranges::any_of(curve.accuracy, [](const SampleSummary& point) { return point.count > 0; }))
            outcome.figures.push_back(figure(curve, figure_name));
    }
    return outcome;
}

}  // namespace hwgcn::experiments
