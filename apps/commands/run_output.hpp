#pragma once

#include <filesystem>
#include <optional>

#include "hwgcn/runs/run_folder.hpp"

#include "base/parameter.hpp"
#include "common_options.hpp"
#include "parameters.hpp"

namespace hwgcn::cli {

/// The folder that a training writes its run to.
struct RunOutput {
    std::filesystem::path folder;  ///< empty: nothing is written
    bool resume = false;           ///< go on with the unfinished run there
    bool force = false;            ///< replace the run there
};
void add_run_output_options(CLI::App& command, RunOutput& output);

/// --seed of a training.
template <typename Options>
void add_seed_option(CLI::App& command, Options& options) {
    static const Parameter<Options> parameter =
        number_parameter("seed", &Options::seed, Range<std::uint64_t>{0}, "S",
                         "seed of the initial parameters, the dropout and a random split");
    add_parameter_option(command, "--seed", parameter, options);
}

/// Throws InputError where the options contradict each other.
void check_run_output(const RunOutput& output);

bool has_checkpoint(const std::filesystem::path& folder);

/// What is there is not overwritten, unless the user wants it or it holds nothing yet: throws InputError.
/// Returns the unfinished run to go on with, where there is one.
std::optional<RunManifest> unfinished_run(const RunOutput& output);

/// Begins the run in its folder, or goes on with the one that is there.
Checkpoints begin_run(const RunOutput& output, const std::optional<RunManifest>& stored,
                      const RunManifest& manifest, const Split& split, const Dataset& dataset,
                      const CommonOptions& common);

}  // namespace hwgcn::cli
