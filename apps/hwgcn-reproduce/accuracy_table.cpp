#include "accuracy_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "paper_targets.hpp"
#include "report/bar_chart.hpp"
#include "report/markdown.hpp"
#include "run_statistics.hpp"

namespace hwgcn::experiments {
namespace {

// The paper's methods, in its order, and label propagation, the sanity check, where the paper leaves it out.
std::vector<std::string> methods_of(const Plan& plan, const std::string& setting) {
    if (!plan.methods.empty()) return plan.methods;
    const std::vector<std::string_view> published = paper_methods(setting);
    std::vector<std::string> methods(published.begin(), published.end());
    if (std::ranges::find(methods, "lp") == methods.end()) methods.insert(methods.begin(), "lp");
    return methods;
}

std::vector<std::string> gain_row(const std::string& dataset, const std::string& setting,
                                  const MethodResult& hwgcn, const MethodResult& gcn) {
    const SharedRuns shared = shared_runs(hwgcn, gcn);
    const std::vector<std::string> gain = gain_cells(hwgcn, gcn);
    const auto reference = reference_accuracy(dataset, "hwgcn", setting);
    const auto reference_gcn = reference_accuracy(dataset, "gcn", setting);
    const auto paper = paper_accuracy(dataset, "hwgcn", setting);
    const auto paper_gcn = paper_accuracy(dataset, "gcn", setting);
    const auto gain_text = [](std::optional<double> a, std::optional<double> b) {
        return a && b ? fmt::format("{:+.1f}", *a - *b) : std::string("–");
    };
    return {dataset_title(dataset),
            setting_title(setting),
            gain[0],
            gain[1],
            fmt::format("{:.1e}", compare_paired(shared.ours, shared.other).p_value),
            gain_text(paper, paper_gcn),
            gain_text(reference, reference_gcn)};
}

Figure bars(const std::vector<ResultCell>& cells, const Plan& plan, const std::string& setting,
            const std::string& figure_name) {
    GroupedBarChart chart;
    chart.title = "Test accuracy, " + setting_title(setting);
    chart.y_label = "accuracy (%) and standard deviation";
    for (const std::string& dataset : plan.datasets)
        chart.groups.push_back(dataset_title(dataset));
    double lowest = 100;
    for (const std::string& method : methods_of(plan, setting)) {
        BarSeries series{method_title(method), {}};
        for (const std::string& dataset : plan.datasets) {
            const auto cell = std::find_if(cells.begin(), cells.end(), [&](const ResultCell& candidate) {
                return candidate.dataset == dataset && candidate.method == method &&
                       candidate.setting == setting;
            });
            if (cell == cells.end()) {
                series.bars.emplace_back();
                continue;
            }
            series.bars.push_back(Bar{cell->ours, cell->std, cell->paper});
            lowest = std::min({lowest, cell->ours - cell->std, cell->paper.value_or(100.0)});
        }
        chart.series.push_back(std::move(series));
    }
    chart.baseline = std::max(0.0, 10.0 * std::floor(lowest / 10.0));
    std::string name = setting;
    std::erase(name, ':');
    return {figure_name + "-" + name, grouped_bar_chart_svg(chart)};
}

}  // namespace

Outcome accuracy_table(ExperimentRunner& runner, const Plan& plan, const std::vector<std::string>& known,
                       const std::string& figure_name) {
    const std::vector<std::string> settings = chosen_settings(plan, known);
    Outcome outcome;
    MarkdownTable gains{{{"dataset"},
                         {"setting"},
                         {"gain", true},
                         {"95 % interval", true},
                         {"p", true},
                         {"paper", true},
                         {"reference", true}},
                        {}};
    std::vector<ResultCell> by_dataset;
    for (const std::string& dataset : plan.datasets) {
        for (const std::string& setting : settings) {
            std::vector<AskedMethod> methods;
            for (const std::string& method : methods_of(plan, setting))
                methods.push_back(settings_of(plan, method, dataset));
            const int runs = runs_of(plan, setting);
            const std::vector<MethodResult> results = runner.run(dataset, methods, setting, runs);
            for (const MethodResult& result : results) {
                const auto paper = paper_accuracy(dataset, method_of(result), setting);
                add_cell(by_dataset, result, dataset, setting, paper, runs);
            }
            const MethodResult* hwgcn = find_result(results, "hwgcn");
            const MethodResult* gcn = find_result(results, "gcn");
            if (hwgcn != nullptr && gcn != nullptr && !shared_runs(*hwgcn, *gcn).ours.empty())
                gains.rows.push_back(gain_row(dataset, setting, *hwgcn, *gcn));
        }
    }
    // Tables and files go by setting first.
    for (const std::string& setting : settings) {
        std::copy_if(by_dataset.begin(), by_dataset.end(), std::back_inserter(outcome.cells),
                     [&](const ResultCell& cell) { return cell.setting == setting; });
        if (std::ranges::find(by_dataset, setting, &ResultCell::setting) != by_dataset.end())
            outcome.figures.push_back(bars(by_dataset, plan, setting, figure_name));
    }
    outcome.text = cells_markdown(outcome.cells);
    if (!gains.rows.empty()) {
        outcome.text +=
            "\n" + markdown_heading(3, "What HWGCN gains over GCN") +
            "Points of accuracy on the same splits and seeds, with Student's interval and p; next to it the "
            "difference of the two means in the paper, and in the reference measurement of the published "
            "recipe.\n\n" +
            markdown_text(gains);
    }
    return outcome;
}

}  // namespace hwgcn::experiments
