#include "hwgcn/evaluation/baselines.hpp"

#include "hwgcn/evaluation/train.hpp"

namespace hwgcn {

std::vector<MethodSettings> baseline_settings(const PreparedGraph& graph) {
    std::vector<MethodSettings> settings = {method_settings("lp", graph.dataset.name)};
    if (graph.features->columns_count > 0) settings.push_back(method_settings("mlp", graph.dataset.name));
    return settings;
}

std::string baseline_role(const std::string& method) {
    return method_info(method).uses_graph ? "the graph without the features"
                                          : "the features without the graph";
}

std::vector<Baseline> judge_baselines(const PreparedGraph& graph, OperatorPool& operators,
                                      const std::string& beside, const Split& split, std::uint64_t seed,
                                      const RunControl& control) {
    const RunControl silent{control.threads, nullptr, control.stop};
    std::vector<Baseline> baselines;
    for (const MethodSettings& settings : baseline_settings(graph)) {
        if (settings.method == beside) continue;
        const Propagation& propagation = operators.get(settings, silent);
        const TrainedModel model = train(graph, propagation, settings, split, seed, silent);
        const DenseMatrix probabilities =
            predict_nodes(graph, propagation, settings, model.parameters, silent);
        baselines.push_back({settings.method, judge(probabilities, graph.dataset.labels, split.validation),
                             judge(probabilities, graph.dataset.labels, split.test)});
    }
    return baselines;
}

}  // namespace hwgcn
