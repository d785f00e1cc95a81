#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "hwgcn/runs/run_folder.hpp"

namespace hwgcn::python {

/// What a fit leaves behind: all that explaining, saving and predicting again need beside the graph.
struct FinishedRun {
    TrainedRun run;
    Split split;
    std::uint64_t seed = 0;
};

/// The dataset of a run that was saved from Python lies beside it.
inline constexpr const char* data_file = "data.npz";

/// Writes a run folder as `hwgcn train --out` does. `write_more` writes further files into it and returns
/// their SHA-256 by name; they belong to the run from then on.
template <typename WriteMore>
void save_run(const std::filesystem::path& folder, const PreparedGraph& graph, const FinishedRun& finished,
              std::vector<Setting> given, const WriteMore& write_more) {
    const Dataset& dataset = graph.dataset;
    check_run_names(folder, given, finished.split, dataset);
    const RunLock lock(folder);
    RunManifest manifest = make_manifest(graph, std::move(given), finished.split, finished.seed);
    add_result(manifest, finished.run);
    start_run(folder, manifest, finished.split, dataset);
    manifest.files = write_more();
    finish_run(folder, std::move(manifest), finished.run.model, finished.run.probabilities, finished.split,
               dataset);
}

/// The run in `folder` on its graph. Throws InputError where a file was changed, or where the graph is
/// another.
inline FinishedRun load_run(const std::filesystem::path& folder, const PreparedGraph& graph,
                            DenseMatrix probabilities) {
    const RunManifest manifest = read_run(folder);
    if (!manifest.scores) fail_in_file(folder.string(), "the run is not finished");
    if (dataset_hash(graph) != manifest.dataset_hash)
        fail_in_file(folder.string(), "its data are not those that the run was trained on");
    const RunScores& scores = *manifest.scores;
    FinishedRun finished{TrainedRun{manifest.settings, manifest.choice, {}, std::move(probabilities)},
                         read_run_split(folder, manifest, graph.dataset), manifest.seed};
    finished.split.name = manifest.split;  // not that of the file
    TrainedRun& run = finished.run;
    run.model.parameters = read_model(folder, manifest, graph);
    run.model.history = read_history(folder, manifest);
    run.model.best_epoch = scores.best_epoch;
    run.model.alternative_epoch = scores.alternative_epoch;
    run.alternative_accuracy = scores.alternative_accuracy;
    run.temperature = manifest.temperature;
    run.decision = manifest.decision;
    run.threshold = manifest.threshold;
    run.model.class_weights = manifest.decision.class_weights;
    run.raw_ece = scores.raw_ece;
    run.train = scores.train;
    run.validation = scores.validation;
    run.test = scores.test;
    run.seconds = scores.seconds;
    return finished;
}

}  // namespace hwgcn::python
