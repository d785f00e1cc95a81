#include "run_output.hpp"

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "runs/run_files.hpp"

namespace hwgcn::cli {

namespace fs = std::filesystem;

void add_run_output_options(CLI::App& command, RunOutput& output) {
    command
        .add_option("--out", output.folder,
                    "write the run to this folder: settings, model, history, predictions")
        ->type_name("RUN");
    command.add_flag("--resume", output.resume, "continue the interrupted training in RUN")
        ->disable_flag_override();
    command.add_flag("--force", output.force, "replace the run in RUN")->disable_flag_override();
}

void check_run_output(const RunOutput& output) {
    if (output.resume && output.force) throw InputError("--resume and --force exclude each other");
    if ((output.resume || output.force) && output.folder.empty())
        throw InputError(
            fmt::format("{} goes with --out RUN, which is missing", output.resume ? "--resume" : "--force"));
}

bool has_checkpoint(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / run_file::checkpoint, ignored);
}

std::optional<RunManifest> unfinished_run(const RunOutput& output) {
    const fs::path& folder = output.folder;
    const auto fail = [&](const std::string& message) {
        throw InputError(fmt::format("--out {}: {}", folder.string(), message));
    };
    std::error_code error;
    if (!fs::is_directory(folder, error)) return std::nullopt;
    if (!has_run(folder)) {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (is_remnant_of_run(entry.path())) continue;
            fail("holds other files, expected a new or an empty folder");
        }
        return std::nullopt;
    }
    if (output.force) return std::nullopt;
    RunManifest stored = read_run(folder);
    if (stored.result) fail("holds a finished run; choose another name, or replace it with --force");
    if (!has_checkpoint(folder)) return std::nullopt;
    if (!output.resume) fail("holds an unfinished run; go on with --resume, or start anew with --force");
    return stored;
}

Checkpoints begin_run(const RunOutput& output, const std::optional<RunManifest>& stored,
                      const RunManifest& manifest, const Split& split, const Dataset& dataset,
                      const CommonOptions& common) {
    Checkpoints checkpoints;
    if (output.folder.empty()) return checkpoints;
    checkpoints.file = output.folder / run_file::checkpoint;
    checkpoints.of = training_name(manifest);
    checkpoints.resume = stored.has_value();
    if (stored) {
        check_same_training(output.folder, *stored, manifest);
        return checkpoints;
    }
    if (output.resume)
        note(common,
             fmt::format("{}: no unfinished training to go on with, starting anew", output.folder.string()));
    start_run(output.folder, manifest, split, dataset);
    return checkpoints;
}

}  // namespace hwgcn::cli
