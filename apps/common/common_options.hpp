#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/models/prepared_graph.hpp"

#include "dataset/target.hpp"
#include "output.hpp"
#include "terminal_progress.hpp"

namespace hwgcn::cli {

/// What every command takes.
struct CommonOptions {
    std::string json;  ///< a file, "-" for standard output, or empty
    int threads = 0;   ///< 0: all cores
    bool quiet = false;
    std::filesystem::path data_directory;  ///< empty: the default one
    std::vector<std::string> renamed;      ///< what to say of options that were given by an old name
};
void add_common_options(CLI::App& command, CommonOptions& options);

/// The same without the data directory, for commands that need none.
void add_run_options(CLI::App& command, CommonOptions& options);

/// The file that --json names, for check_outputs.
Output json_output(const CommonOptions& options);

/// The data directory that the options stand for; throws InputError where --data-dir names no folder.
std::filesystem::path data_directory(const CommonOptions& options);

/// A line on standard error, unless --quiet.
void note(const CommonOptions& options, std::string_view message);

/// How the stages of a command run: threads, progress and Ctrl-C as the user wants them.
class CommandExecution {
  public:
    explicit CommandExecution(const CommonOptions& options);

    const ExecutionControl& control() const { return control_; }

    /// Names the work that follows on the progress display.
    void start(std::string_view task, std::int64_t total_units) const;
    void finish() const;

    /// What the progress display says after its numbers, from now on.
    void describe(std::string detail) const;

  private:
    std::unique_ptr<TerminalProgress> progress_;
    ExecutionControl control_;
};

/// Whether columns that look like ids are left out of node tables, and logarithms may stand for numbers. A
/// run remembers it, and reads its tables as when it was trained.
namespace column_rules {
inline constexpr const char* none = "none";
inline constexpr const char* latest = "ids and logarithms";
}  // namespace column_rules

/// Which dataset to work on.
struct DatasetOptions {
    std::string dataset;              ///< a name or a path
    CsvFiles csv;                     ///< --edges, --nodes and their columns
    std::string synthetic;            ///< settings of the synthetic graph
    std::string structural_features;  ///< empty: as usual
    std::string directions;           ///< "directed", "undirected", or empty: as found
    std::string scale;                ///< of the features, for `scale_named`
    std::string column_rules;         ///< how columns of node tables are judged; empty: as usual
};
void add_dataset_options(CLI::App& command, DatasetOptions& options);

/// What the options say of datasets without features. Throws InputError for an unexpected text.
FeatureOptions feature_options(const DatasetOptions& selection);

/// The files that `load` reads, and the file of the split where `split` names one: not to be written over.
std::vector<std::filesystem::path> input_files(const DatasetOptions& selection, const CommonOptions& options,
                                               const std::string& split = "");

/// The tables that --edges and its companions name, with what is said of directions. Throws InputError where
/// they name none, or where options contradict each other.
CsvFiles text_files(const DatasetOptions& selection);

/// Loads it and passes on what the reader noticed.
Dataset load(const DatasetOptions& selection, const CommonOptions& options, const ExecutionControl& control);

/// The same for training: throws InputError where the labels are too many or look like measured numbers.
Dataset load_target(const DatasetOptions& selection, const TargetLimits& limits, const CommonOptions& options,
                    const ExecutionControl& control);

/// Tells what the features were made into, where that is worth a word, and adds it to the notes.
void tell_scaling(const FeatureScaling& scaling, const Dataset& dataset, const CommonOptions& options,
                  std::vector<std::string>& notes);

}  // namespace hwgcn::cli
