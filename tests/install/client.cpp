// What an outside program does through the installed headers and library: reads a table, learns weights,
// trains, keeps the run, and predicts from what it kept. Any check that fails is told and gives exit
// status 1.
#include <cstdio>
#include <filesystem>
#include <string>

#include <hwgcn/hwgcn.hpp>

namespace {

bool all_hold = true;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    all_hold = false;
}

void learn_weights_of(const hwgcn::Dataset& karate) {
    const hwgcn::Graph graph(karate.nodes, karate.edges);
    const auto features = hwgcn::row_normalized(karate.features);
    const hwgcn::LearnedWeights learned = hwgcn::learn_weights(graph, features, {.order = 3});
    for (const hwgcn::OrderWeights& order : learned.orders) {
        std::printf("order %d: %lld weights, worst gap %.1e\n", order.summary.order,
                    static_cast<long long>(order.summary.support), order.summary.worst_gap);
    }
    expect(learned.orders.size() == 2 && learned.orders[0].summary.support > 0, "weights of two orders");
}

// Trains into a folder, and predicts from what is there.
void keep_and_predict(const hwgcn::Dataset& dataset, const std::filesystem::path& folder) {
    const hwgcn::ExecutionControl control;
    const hwgcn::PreparedGraph graph = hwgcn::prepare_graph(dataset);
    const hwgcn::WeightCache cache(folder / "cache");
    hwgcn::OperatorPool operators(graph, &cache);
    const hwgcn::Split split = hwgcn::make_split(graph.dataset, "random:5:8:16", 1);
    hwgcn::RunManifest manifest = hwgcn::make_manifest(graph, {}, split, 1);
    const hwgcn::TrainedRun run = hwgcn::train_run({.graph = graph,
                                                    .operators = operators,
                                                    .method = hwgcn::asked_method("hwgcn", "karate"),
                                                    .split = split,
                                                    .seed = 1},
                                                   control);
    hwgcn::add_result(manifest, run);
    hwgcn::start_run(folder / "run", manifest, split, graph.dataset);
    hwgcn::finish_run(folder / "run", manifest, run.model, run.probabilities, split, graph.dataset);

    const hwgcn::RunManifest kept = hwgcn::read_run(folder / "run");
    const auto parameters = hwgcn::read_model(folder / "run", kept, graph);
    hwgcn::DenseMatrix probabilities = hwgcn::predict_nodes(graph, operators.get(kept.settings, control),
                                                            kept.settings, parameters, control);
    hwgcn::calibrate(probabilities, kept.decision, kept.temperature);
    bool same = true;
    for (hwgcn::Index node = 0; node < graph.dataset.nodes; ++node)
        same = same && probabilities.at(node, 0) == run.probabilities.at(node, 0);
    expect(same, "predictions from the folder");
    std::printf("hwgcn %s: %.1f %% of %d test nodes\n", std::string(hwgcn::version()).c_str(),
                100 * kept.result->test.accuracy, kept.result->test.count);

    const hwgcn::FeatureImportances found =
        hwgcn::measure_importances(graph, operators.get(kept.settings, control), kept.settings, parameters,
                                   split, {.repeats = 2, .columns = 3}, control);
    expect(found.columns.size() == 3, "importances of three columns");
}

}  // namespace

int main(int, char** arguments) {
    const std::filesystem::path folder = arguments[1];
    const hwgcn::Dataset karate = hwgcn::make_karate();
    learn_weights_of(karate);
    hwgcn::write_csv_dataset(folder / "tables", karate);
    keep_and_predict(hwgcn::load_dataset((folder / "tables").string(), {}), folder);
    try {
        hwgcn::load_dataset("karatee", {});
        expect(false, "a dataset that is not there");
    } catch (const hwgcn::InputError& error) {
        std::printf("%s\n", error.what());
    }
    return all_hold ? 0 : 1;
}
