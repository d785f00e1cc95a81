#include <array>

#include <fmt/format.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "experiment.hpp"
#include "paper_targets.hpp"
#include "report/markdown.hpp"

namespace hwgcn::experiments {
namespace {

constexpr std::array<const char*, 6> bins{"(0,1e-5)",    "(1e-5,1e-4)", "(1e-4,1e-3)",
                                          "(1e-3,1e-2)", "(1e-2,1e-1)", "(1e-1,inf)"};

Outcome run_weight_statistics(ExperimentRunner& runner, const Plan& plan) {
    Outcome outcome;
    outcome.text =
        "Share (%) of the members of all rings of an order by weight: measured / paper. No weight counts as "
        "the smallest.\n\n";
    for (const std::string& dataset : plan.datasets) {
        WeightOptions options = std::get<MethodSettings>(settings_of(plan, "hwgcn", dataset)).weights();
        options.order = plan.max_order;
        options.keep = {};
        MarkdownTable table{{{"order", true}}, {}};
        for (const char* bin : bins)
            table.columns.push_back({bin, true});
        for (const OrderWeights& order : runner.weights(dataset, options).orders) {
            const auto paper = paper_weight_statistics(dataset, order.summary.order);
            std::vector<std::string> row = {std::to_string(order.summary.order)};
            for (std::size_t b = 0; b < bins.size(); ++b) {
                const double ours = order.summary.statistics_percent[b];
                const std::optional<double> theirs = paper ? std::optional((*paper)[b]) : std::nullopt;
                row.push_back(theirs ? fmt::format("{:.2f} / {:.2f}", ours, *theirs)
                                     : fmt::format("{:.2f}", ours));
                outcome.cells.push_back({dataset, "weights",
                                         fmt::format("k={} {}", order.summary.order, bins[b]), ours, 0.0, 1,
                                         theirs});
            }
            table.rows.push_back(std::move(row));
        }
        outcome.text += markdown_heading(3, dataset_title(dataset)) + markdown_text(table) + "\n";
    }
    return outcome;
}

}  // namespace

Experiment weight_statistics() {
    Experiment experiment{
        "statistics", "Statistics of the learned weights", run_weight_statistics, {"order", "keep"}};
    experiment.methods = {"hwgcn"};
    return experiment;
}

}  // namespace hwgcn::experiments
