#pragma once

#include <vector>

#include "hwgcn/io/readers.hpp"
#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "common_options.hpp"
#include "method_options.hpp"

namespace hwgcn::cli {

/// How a dataset was asked for, for run.json to remember: the options given, with absolute paths.
std::vector<Setting> describe(const DatasetOptions& selection, const CommonOptions& options);

/// Whether anything says which dataset is meant.
bool has_any(const DatasetOptions& selection);

/// The files that `open_run` reads: those of the run and of its dataset.
std::vector<std::filesystem::path> input_files_of_run(const std::filesystem::path& folder,
                                                      const DatasetOptions& moved,
                                                      const CommonOptions& options);

/// Where the weights of a run are found: in its folder, or else where they are usually kept.
WeightCache cache_of_run(const std::filesystem::path& folder, const CacheOptions& options);

/// Puts the weights of a finished run into its folder, from the cache. What cannot be written is reported.
void save_weights(const std::filesystem::path& folder, const PreparedGraph& graph,
                  const MethodSettings& settings, const WeightCache* cache, std::vector<std::string>& notes);

/// What came after a run was trained.
struct AdditionOptions {
    AddedFiles files;
    bool update_neighbors = false;
};
void add_addition_options(CLI::App& command, AdditionOptions& options);

/// The dataset of a run, from where it was, or from where `moved` says that it is now, with what was added to
/// it. Throws InputError where it is not the same any more.
PreparedGraph load_again(const RunManifest& manifest, const DatasetOptions& moved,
                         const CommonOptions& options, const ExecutionControl& control,
                         const AdditionOptions& additions = {});

/// A finished run with its data, ready to predict.
struct OpenedRun {
    RunManifest manifest;
    PreparedGraph graph;  ///< with the additions
    Split split;
    std::vector<Member> members;  ///< the methods that it predicts with; one unless it is an average
};

/// Opens the run in `folder`, every file of it checked, and adds new nodes and edges to its data. Throws
/// InputError where something is missing or was changed, `folder` included where it is empty. The statistics
/// that a run of an earlier version lacks are computed on its training graph, with weights of the cache.
OpenedRun open_run(const std::filesystem::path& folder, const DatasetOptions& moved,
                   const CommonOptions& options, const WeightCache& cache, const ExecutionControl& control,
                   const AdditionOptions& additions = {});

}  // namespace hwgcn::cli
