// Trains HWGCN on a dataset, predicts a node and says why, and compares the method with GCN on other splits.
// docs/cpp.md explains it; tests/install builds it against an installed library and runs it.
#include <cstdio>
#include <string>
#include <vector>

#include <hwgcn/hwgcn.hpp>

namespace {

void train_and_explain(const std::string& data, const hwgcn::ExecutionControl& control) {
    // Read: a built-in dataset, one below the folder "data", or a path.
    const hwgcn::PreparedGraph graph = hwgcn::prepare_graph(hwgcn::load_dataset(data, "data", control));
    const hwgcn::Dataset& dataset = graph.dataset;

    // Learn the weights of orders 2 and 3, for every method that asks for them. A WeightCache would keep
    // them.
    hwgcn::MethodSettings settings("hwgcn", dataset.name);
    settings.apply({{"order", "3"}});
    hwgcn::OperatorPool operators(graph);
    const hwgcn::Propagation& propagation = operators.get(settings, control);

    // Train, calibrate and measure on one split.
    const hwgcn::Split split = hwgcn::make_split(dataset, "random:5:8:16", 0);
    const hwgcn::TrainedRun run = hwgcn::train_run(
        {.graph = graph, .operators = operators, .method = settings, .split = split, .seed = 0}, control);
    std::printf("%s on %s: %.1f %% of %d test nodes\n", settings.method().c_str(), dataset.name.c_str(),
                100 * run.result.test.accuracy, run.result.test.count);

    // Predict: run.probabilities has a row for every node.
    const hwgcn::Index node = split.test.front();
    const hwgcn::Index predicted = hwgcn::decide(run.probabilities, node, run.decision);
    std::printf("node %s is of class %s with probability %.2f\n", hwgcn::node_id(dataset, node).c_str(),
                dataset.class_names[predicted].c_str(), run.probabilities.at(node, predicted));

    // Explain: what its neighbors add to the score.
    const auto explainer = hwgcn::expect_explainer(graph, propagation, run.settings, run.model.parameters,
                                                   {run.temperature, run.decision}, control);
    const hwgcn::Explanation why = explainer->explain(node, 0);
    for (std::size_t k = 0; k < 3 && k < why.neighbors.size(); ++k) {
        const hwgcn::NeighborTerm& term = why.neighbors[k];
        std::printf("  node %s at distance %d: %.0f %%\n", hwgcn::node_id(dataset, term.node).c_str(),
                    term.distance, 100 * term.share);
    }

    // Evaluate: both methods on the same ten splits.
    const std::vector<hwgcn::AskedMethod> methods = {hwgcn::asked_method("gcn", dataset.name), settings};
    for (const hwgcn::MethodResult& result :
         hwgcn::evaluate(graph, operators, methods, {.split = "random:5:8:16", .runs = 10}, control)) {
        const hwgcn::SampleSummary accuracy = result.accuracy();
        std::printf("%s: %.1f ± %.1f %%\n", hwgcn::name_of(result.method).c_str(), accuracy.mean,
                    accuracy.ci95);
    }
}

}  // namespace

int main(int count, char** arguments) {
    try {
        train_and_explain(count > 1 ? arguments[1] : "karate", {.threads = 2});
        return 0;
    } catch (const hwgcn::InputError& error) {  // the caller can fix it
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const hwgcn::Error& error) {  // the run failed
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
