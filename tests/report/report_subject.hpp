#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "operators/propagation.hpp"
#include "report/report_page.hpp"

namespace hwgcn::testing {

using Json = nlohmann::json;

// The other way round, written apart from the code under test.
template <typename Number>
std::vector<Number> unpacked(const std::string& text) {
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned buffer = 0;
    int bits = 0;
    for (const char letter : text) {
        if (letter == '=') break;
        buffer = buffer << 6U | static_cast<unsigned>(letters.find(letter));
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(buffer >> static_cast<unsigned>(bits) & 255U);
    }
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return numbers;
}

// A trained run on a small graph with all that a page asks for.
struct Subject {
    PreparedGraph graph;
    MethodSettings settings;
    LearnedWeights weights;
    Propagation propagation;
    Split split;
    TrainedModel model;
    DenseMatrix probabilities;
    RunManifest manifest;
    std::unique_ptr<Explainer> explainer;

    static Dataset dataset() {
        SyntheticOptions options;
        options.nodes = 150;
        options.classes = 3;
        options.vocabulary = 40;
        options.words = 6;
        return make_synthetic(options);
    }

    explicit Subject(const std::string& method = "hwgcn", Dataset data = dataset(),
                     const std::vector<Setting>& changes = {})
        : graph(prepare_graph(std::move(data))), settings(method, "synthetic") {
        settings.apply(changes);
        settings.apply(settings.read_among({{"epochs", "15"}, {"order", "3"}}));
        weights = learn_weights_for(graph, settings, {1}, nullptr);
        propagation = make_operator(graph, settings, weights);
        split = random_split(graph.dataset, {5, 30, 60, 1});
        model = train(graph, propagation, settings, split, 2, {1});
        probabilities = predict_nodes(graph, propagation, settings, model.parameters, {1});
        manifest = make_manifest(graph, {}, split, 2);
        manifest.settings = settings;
        manifest.temperature = 0.5;
        manifest.result = RunResult{};
        manifest.result->best_epoch = model.best_epoch;
        manifest.result->test = compute_metrics(probabilities, graph.dataset.labels, split.test);
        explainer =
            make_explainer(graph, propagation, settings, model.parameters, {manifest.temperature}, {1});
    }

    ReportPage page(const ExplorerLimits& limits = {}, int threads = 1) const {
        ReportPage page;
        add_run(page, {manifest, graph, split, probabilities, model.history, weights, explainer.get()},
                {threads}, limits);
        return page;
    }

    Json run(const ExplorerLimits& limits = {}) const { return Json::parse(page(limits).run); }
};

}  // namespace hwgcn::testing
