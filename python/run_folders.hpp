#pragma once

#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "hwgcn/runs/run_folder.hpp"

#include "base/fail.hpp"
#include "runs/run_files.hpp"

namespace hwgcn::python {

/// The dataset of a run that was saved from Python, in its folder.
inline constexpr const char* data_file = "data.npz";

/// Writes a run folder as `hwgcn train --out` does. `write_more` writes further files into it and returns
/// their SHA-256 by name; they belong to the run from then on.
template <typename WriteMore>
void save_run(const std::filesystem::path& folder, const PreparedGraph& graph, const TrainedRun& run,
              const Split& split, std::vector<Setting> given, const WriteMore& write_more) {
    const Dataset& dataset = graph.dataset;
    check_run_names(folder, given, split, dataset);
    const RunLock lock(folder);
    RunManifest manifest = make_manifest(graph, std::move(given), split, run.result.seed);
    add_result(manifest, run);
    start_run(folder, manifest, split, dataset);
    manifest.files = write_more();
    finish_run(folder, std::move(manifest), run.model, run.probabilities, split, dataset);
}

inline std::vector<MethodSettings> methods_of(const TrainedRun& run) {
    std::vector<MethodSettings> methods = {run.settings};
    for (const Member& other : run.others)
        methods.push_back(other.settings);
    return methods;
}

/// Throws InputError unless all methods of a run can predict nodes that were added to its graph.
inline void expect_new_nodes_taken(const PreparedGraph& graph, const TrainedRun& run) {
    for (const MethodSettings& method : methods_of(run))
        check_takes_new_nodes(graph, method);
}

/// The run in `folder` on its graph. Throws InputError where a file was changed, or where the graph is
/// another.
inline TrainedRun load_run(const std::filesystem::path& folder, const RunManifest& manifest,
                           const PreparedGraph& graph, DenseMatrix probabilities) {
    if (!manifest.result) fail_in_file(folder.string(), "the run is not finished");
    if (dataset_hash(graph) != manifest.dataset_hash)
        fail_in_file(folder.string(), "its data are not those that the run was trained on");
    TrainedRun run{manifest.settings, manifest.choice, {}, std::move(probabilities)};
    run.model.history = read_history(folder, manifest);
    run.model.best_epoch = manifest.result->best_epoch;
    run.model.alternative_epoch = manifest.result->alternative_epoch;
    run.model.class_weights = manifest.decision.class_weights;
    run.temperature = manifest.temperature;
    run.decision = manifest.decision;
    run.threshold = manifest.threshold;
    run.result = *manifest.result;
    std::vector<Member> members = read_members(folder, manifest, graph);
    run.share = members.front().share;
    run.model.parameters = std::move(members.front().parameters);
    run.others.assign(std::make_move_iterator(members.begin() + 1), std::make_move_iterator(members.end()));
    return run;
}

}  // namespace hwgcn::python
