#include "pipeline/baselines.hpp"

#include <cmath>

#include <fmt/format.h>

#include "hwgcn/models/train.hpp"

#include "metrics/ranking.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

std::vector<MethodSettings> baseline_settings(const PreparedGraph& graph) {
    std::vector<MethodSettings> settings;
    if (!graph.label_weights.of_classes.any())
        settings.emplace_back("lp", graph.dataset.name);  // it cannot weigh labels
    if (graph.features.scaled->columns > 0 && !graph.features.structural) {
        settings.emplace_back("linear", graph.dataset.name);
        if (graph.graph.edges() > 0) settings.emplace_back("linear-neighbors", graph.dataset.name);
    }
    return settings;
}

std::string baseline_role(const std::string& method) {
    const MethodInfo& info = method_info(method);
    if (info.uses_graph && info.uses_features) return "a linear model of features and neighbors";
    return info.uses_graph ? "the graph without the features" : "the features without the graph";
}

std::string baseline_says_more(const std::string& method) {
    const MethodInfo& info = method_info(method);
    return baseline_role(method) + (info.uses_graph ? " says more" : " say more");
}

std::vector<std::string> baseline_remarks(const MethodSettings& settings, const Metrics& own,
                                          const std::vector<Baseline>& baselines, bool tested) {
    const MethodInfo& method = method_info(settings.method());
    const bool has_both = method.uses_graph && method.uses_features;
    std::vector<std::string> remarks;
    const auto has_both_too = [](const Baseline& baseline) {
        return method_info(baseline.method).uses_graph && method_info(baseline.method).uses_features;
    };
    for (const Baseline& baseline : baselines) {
        const double a = own.accuracy;
        const double b = (tested ? baseline.test : baseline.validation).accuracy;
        if (b <= a) continue;
        const std::string& title = method_info(baseline.method).title;
        const double error = std::sqrt((a * (1 - a) + b * (1 - b)) / own.count);
        remarks.push_back(
            b - a > error
                ? fmt::format("{} does better here: {}{}.", title, baseline_says_more(baseline.method),
                              has_both && !has_both_too(baseline) ? " than both together" : "")
                : fmt::format("{} has {:.0f} of {} nodes more here, which is within the standard error.",
                              title, (b - a) * own.count, own.count));
    }
    return remarks;
}

std::vector<Baseline> evaluate_baselines(const PreparedGraph& graph, OperatorPool& operators,
                                         const std::string& beside, const Split& split, std::uint64_t seed,
                                         const ExecutionControl& control) {
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    const Index positive = positive_class(graph.dataset, split);
    std::vector<Baseline> baselines;
    for (const MethodSettings& published : baseline_settings(graph)) {
        if (published.method() == beside) continue;
        const auto settings =
            std::get<MethodSettings>(with_resolved_selection(published, graph.dataset, split));
        const Propagation& propagation = operators.get(settings, silent);
        const TrainedModel model = train(graph, propagation, settings, split, seed, silent);
        const DenseMatrix probabilities = predict_nodes(graph, propagation, settings, model, silent);
        const auto metrics_at = [&](const std::vector<Index>& nodes) {
            return compute_metrics(
                probabilities, graph.dataset.labels, nodes, silent,
                {.positive = positive, .decision = {.class_weights = model.class_weights}});
        };
        baselines.push_back({settings.method(), metrics_at(split.validation), metrics_at(split.test)});
    }
    return baselines;
}

}  // namespace hwgcn
