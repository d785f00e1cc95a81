#pragma once

#include <vector>

#include "hwgcn/runs/run_folder.hpp"

#include "common_options.hpp"

namespace hwgcn::cli {

/// How a dataset was asked for, so that run.json can remember it: the options given, with absolute paths.
std::vector<Setting> describe(const DatasetOptions& selection, const CommonOptions& options);

/// Whether anything says which dataset is meant.
bool has_any(const DatasetOptions& selection);

/// The dataset of a run, from where it was, or from where `moved` says that it is now. Throws InputError
/// where it is not the same any more.
PreparedGraph load_again(const RunManifest& manifest, const DatasetOptions& moved,
                         const CommonOptions& options, const ExecutionControl& control);

/// The files that `open_run` reads: those of the run and of its dataset.
std::vector<std::filesystem::path> input_files_of_run(const std::filesystem::path& folder,
                                                      const DatasetOptions& moved,
                                                      const CommonOptions& options);

/// A finished run with its data, ready to predict.
struct OpenedRun {
    RunManifest manifest;
    PreparedGraph graph;
    Split split;
    std::vector<TrainableMatrix> parameters;
};

/// Opens the run in `folder`, every file of it checked. Throws InputError where something is missing or was
/// changed, `folder` included where it is empty.
OpenedRun open_run(const std::filesystem::path& folder, const DatasetOptions& moved,
                   const CommonOptions& options, const ExecutionControl& control);

}  // namespace hwgcn::cli
