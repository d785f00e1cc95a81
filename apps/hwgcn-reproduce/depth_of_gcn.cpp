#include <algorithm>

#include <fmt/format.h>

#include "experiment.hpp"
#include "paper_targets.hpp"
#include "report/line_chart.hpp"
#include "report/markdown.hpp"

namespace hwgcn::experiments {
namespace {

std::string table_of(const std::vector<ResultCell>& cells) {
    MarkdownTable table{{{"layers, split"}, {"ours ± std", true}, {"paper", true}, {"diff", true}}, {}};
    for (const ResultCell& cell : cells) {
        table.rows.push_back({cell.setting, fmt::format("{:.2f} ± {:.2f}", cell.ours, cell.std),
                              fmt::format("{:.1f}", cell.paper.value()),
                              fmt::format("{:+.2f}", difference(cell).value())});
    }
    const auto [fewest, most] = std::ranges::minmax(cells, {}, &ResultCell::runs);
    const std::string runs = fewest.runs == most.runs ? fmt::to_string(most.runs)
                                                      : fmt::format("{} to {}", fewest.runs, most.runs);
    return fmt::format("Mean ± standard deviation over {} runs, in percent.\n\n{}", runs,
                       markdown_text(table));
}

// Why look beyond the direct neighbors by other means than depth: GCN gets worse with more than two layers.
Outcome run_depth_of_gcn(ExperimentRunner& runner, const Plan& plan) {
    const std::string dataset = "cora";
    const std::string setting = "random:20";
    std::vector<AskedMethod> methods;
    for (int layers = 1; layers <= 4; ++layers) {
        methods.push_back(settings_of(plan, "gcn", dataset));
        apply_settings(methods.back(), {{"layers", std::to_string(layers)}});
    }
    Outcome outcome;
    LineChart chart{"GCN on Cora, 20 per class",
                    "layers",
                    "test accuracy (%), 95 % interval",
                    {{"measured", {}, {}, {}}, {"paper", {}, {}, {}}},
                    {}};
    for (const MethodResult& result : runner.run(dataset, methods, setting, runs_of(plan, setting))) {
        const int layers = std::stoi(std::get<MethodSettings>(result.method).value("layers"));
        const std::optional<double> paper = paper_gcn_depth(layers);
        if (result.runs.empty()) continue;
        add_cell(outcome.cells, result, dataset,
                 fmt::format("{} layer{}, {}", layers, layers == 1 ? "" : "s", setting), paper,
                 runs_of(plan, setting));
        chart.series[0].x.push_back(layers);
        chart.series[0].y.push_back(result.accuracy().mean);
        chart.series[0].half_interval.push_back(result.accuracy().ci95);
        chart.series[1].x.push_back(layers);
        chart.series[1].y.push_back(paper.value());
    }
    if (outcome.cells.empty()) return outcome;
    outcome.text = table_of(outcome.cells);
    outcome.figures.push_back({"depth", line_chart_svg(chart)});
    return outcome;
}

}  // namespace

Experiment depth_of_gcn() {
    Experiment experiment{"table1",
                          "Table 1: GCN with 1 to 4 layers, Cora, 20 per class",
                          run_depth_of_gcn,
                          {"layers"},
                          "cora"};
    experiment.methods = {"gcn"};
    return experiment;
}

}  // namespace hwgcn::experiments
