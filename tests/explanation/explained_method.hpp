#pragma once

#include <memory>
#include <string>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/explanation/explain.hpp"

#include "operators/propagation.hpp"

namespace hwgcn::testing {

// Some communities, and a node without a neighbor.
inline Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 120;
    options.classes = 3;
    options.vocabulary = 40;
    options.words = 6;
    Dataset dataset = make_synthetic(options);
    std::erase_if(dataset.edges, [](const Edge& edge) { return edge.from == 7 || edge.to == 7; });
    return dataset;
}

// A method trained on it for a short time.
struct TrainedMethod {
    PreparedGraph graph;
    MethodSettings settings;
    OperatorPool operators{graph};
    Split split;
    TrainedModel model;

    explicit TrainedMethod(const std::string& method, Dataset dataset = small_dataset())
        : graph(prepare_graph(std::move(dataset))), settings(method, "synthetic") {
        settings.apply(settings.read_among({{"epochs", "15"}, {"order", "3"}, {"walks", "2"}}));
        split = random_split(graph.dataset, {5, 20, 20, 1});
        model = train(graph, propagation(), settings, split, 2, {1});
    }

    const Propagation& propagation() { return operators.get(settings, {1}); }

    std::unique_ptr<Explainer> explainer(double temperature = 1.0) {
        return make_explainer(graph, propagation(), settings, model.parameters, {temperature}, {1});
    }
};

}  // namespace hwgcn::testing
