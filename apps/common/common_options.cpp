#include "common_options.hpp"

#include <cmath>
#include <new>

#include <fmt/format.h>
#include <unistd.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/io/readers.hpp"

#include "base/parameter.hpp"
#include "dataset/synthetic_parameters.hpp"
#include "environment.hpp"
#include "graph/summary.hpp"
#include "interrupt.hpp"
#include "models/feature_parameters.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

const std::vector<Parameter<CommonOptions>>& common_parameters() {
    static const std::vector<Parameter<CommonOptions>> table = {
        number_parameter("threads", &CommonOptions::threads, Range<int>{0, 1024}, "N",
                         "worker threads; 0: one per core. Results do not depend on it"),
    };
    return table;
}

constexpr std::string_view no_weights = "none";
constexpr const char* directed = "directed";
constexpr const char* undirected = "undirected";

EdgeReading edge_reading(const DatasetOptions& selection) {
    EdgeReading reading;
    reading.weights = selection.csv.weight_column != no_weights;
    if (!selection.directions.empty())
        reading.directions = selection.directions == directed ? Directions::kept : Directions::dropped;
    reading.judge_columns = selection.column_rules != column_rules::none;
    return reading;
}

void check_selection(const DatasetOptions& selection) {
    feature_options(selection);
    const CsvFiles& csv = selection.csv;
    const bool node_columns = !csv.id_column.empty() || !csv.label_column.empty() ||
                              !csv.categorical_columns.empty() || !csv.ignored_columns.empty() ||
                              !csv.numeric_columns.empty() || !csv.label_separator.empty() ||
                              !csv.bins.empty();
    const bool names_weight = !csv.weight_column.empty() && csv.weight_column != no_weights;
    const bool columns =
        node_columns || !csv.source_column.empty() || !csv.target_column.empty() || names_weight;
    if (csv.edges.empty() && (columns || !csv.nodes.empty() || !csv.features.empty()))
        throw InputError(
            "--nodes, --features and what is said of columns go with --edges FILE, which is missing");
    if (csv.nodes.empty() && node_columns)
        throw InputError(
            "--id, --label, --label-separator, --bins, --categorical, --numeric and --ignore are about the "
            "columns of "
            "--nodes FILE, which is missing");
    const bool other_name = !selection.dataset.empty() && selection.dataset != "synthetic";
    if (!selection.synthetic.empty() && (other_name || !csv.edges.empty()))
        throw InputError("--synthetic goes with the dataset 'synthetic', not with another one");
    if (!csv.edges.empty() && !selection.dataset.empty())
        throw InputError(fmt::format("give either the dataset '{}' or --edges, not both", selection.dataset));
    if (csv.edges.empty() && selection.dataset.empty() && selection.synthetic.empty())
        throw InputError(
            "no dataset was given: expected a name (see: hwgcn data list), a path, or --edges FILE");
}

// What `read` returns. Where memory runs out, it says what it was reading.
template <typename Read>
Dataset or_out_of_memory(const DatasetOptions& selection, const Read& read) {
    try {
        return read();
    } catch (const std::bad_alloc&) {
        const std::string name =
            selection.csv.edges.empty() ? selection.dataset : selection.csv.edges.string();
        throw ExecutionError(fmt::format("{}: out of memory while it was read", name));
    }
}

}  // namespace

void add_run_options(CLI::App& command, CommonOptions& options) {
    command
        .add_option("--json", options.json, "write the full result as JSON to FILE; -: to standard output")
        ->type_name("FILE");
    add_parameter_options(command, common_parameters(), options);
    command.add_flag("--quiet", options.quiet, "no progress, no notes; results, warnings and errors only")
        ->disable_flag_override();
}

void add_common_options(CLI::App& command, CommonOptions& options) {
    add_run_options(command, options);
    command
        .add_option("--data-dir", options.data_directory,
                    "where datasets are (default: $HWGCN_DATA, else the user's data home)")
        ->type_name("DIR");
}

Output json_output(const CommonOptions& options) {
    return {"--json", options.json == "-" ? "" : options.json};
}

std::filesystem::path data_directory(const CommonOptions& options) {
    if (options.data_directory.empty()) return default_data_directory();
    std::error_code error;
    if (!std::filesystem::is_directory(options.data_directory, error))
        throw InputError(fmt::format("--data-dir {}: no such folder", options.data_directory.string()));
    return options.data_directory;
}

void note(const CommonOptions& options, std::string_view message) {
    if (!options.quiet) say("note", message);
}

CommandExecution::CommandExecution(const CommonOptions& options) {
    for (const std::string& renamed : options.renamed)
        note(options, renamed);
    if (!options.quiet && !is_muted())
        progress_ = std::make_unique<TerminalProgress>(is_terminal(STDERR_FILENO));
    control_ = {options.threads, progress_.get(), &stop_requested};
}

void CommandExecution::start(std::string_view task, std::int64_t total_units) const {
    if (progress_) progress_->start(task, total_units);
}

void CommandExecution::finish() const {
    if (progress_) progress_->finish();
}

void CommandExecution::describe(std::string detail) const {
    if (progress_) progress_->describe(std::move(detail));
}

namespace {

// Of the dataset that is made here, and of features made from the graph.
void add_options_of_made_data(CLI::App& command, DatasetOptions& options, const std::string& group) {
    std::string keys;
    for (const auto& parameter : synthetic_parameters())
        keys += (keys.empty() ? "" : ", ") + parameter.name;
    command.add_option("--synthetic", options.synthetic, "settings of the dataset synthetic: " + keys)
        ->type_name("KEY=VALUE,..")
        ->group(group);
    for (const auto& parameter : feature_parameters()) {
        command
            .add_option(option_name(parameter.name), options.structural_features,
                        option_help(parameter.help, parameter.expected, parameter.get({})))
            ->type_name(parameter.metavar)
            ->group(group);
    }
}

}  // namespace

void add_dataset_options(CLI::App& command, DatasetOptions& options) {
    const std::string group = "Dataset";
    command.add_option("DATASET", options.dataset,
                       "a name (see hwgcn data list) or a path: an .npz or .mtx file, a Planetoid prefix, a "
                       "folder of CSV files");
    const auto add = [&](const std::string& name, auto& target, const char* metavar,
                         const std::string& help) {
        return command.add_option(name, target, help)->type_name(metavar)->group(group);
    };
    const std::string rare = group + rare_suffix;
    add("--edges", options.csv.edges, "FILE",
        "your own graph: a CSV or TSV file with one edge per line, .gz too");
    add("--nodes", options.csv.nodes, "FILE",
        "its nodes: a header, then an id, features and perhaps a label per line");
    add("--source", options.csv.source_column, "COLUMN",
        "column of --edges with one end (default: source, from, ..)");
    add("--target", options.csv.target_column, "COLUMN",
        "column of --edges with the other end (default: target, to, ..)");
    add("--weight", options.csv.weight_column, "COLUMN",
        "column of --edges with their weights (default: weight); none: no weights");
    for (const char* const directions : {directed, undirected}) {
        command
            .add_flag_callback(
                fmt::format("--{}", directions), [&options, directions] { options.directions = directions; },
                directions == directed ? "edges lead from their first node to their second"
                                       : "edges go both ways (default, unless a matrix is not symmetric)")
            ->disable_flag_override()
            ->group(directions == directed ? group : rare);
    }
    command.get_option(fmt::format("--{}", directed))
        ->excludes(command.get_option(fmt::format("--{}", undirected)));
    add("--id", options.csv.id_column, "COLUMN", "column of --nodes with the ids (default: the first)");
    add("--label", options.csv.label_column, "COLUMN",
        "column of --nodes with the labels (default: label or class)");
    add("--label-separator", options.csv.label_separator, "TEXT",
        "the class of a label such as 'a;b' is its first part (default: all)")
        ->group(rare);
    add("--bins", options.csv.bins, "N", "ranges to put a label column of numbers into (default: none)")
        ->group(rare);
    add("--categorical", options.csv.categorical_columns, "A,B,..",
        "columns of numbers that are categories; columns of text always are")
        ->group(rare);
    add("--numeric", options.csv.numeric_columns, "A,B,..",
        "columns that are features though their numbers look like ids")
        ->group(rare);
    add("--ignore", options.csv.ignored_columns, "A,B,..", "columns of --nodes that are not features");
    add("--features", options.csv.features, "FILE",
        "more features in long form: node id, feature, and its value unless it is 1");
    add("--scale", options.scale, "HOW",
        "features: rows (each divided by its sum), standard (columns to mean 0, deviation 1), unit (columns "
        "to "
        "0..1), none, or auto (default: rows for words and categories, standard or logarithms for numbers)");
    add_options_of_made_data(command, options, rare);
}

FeatureOptions feature_options(const DatasetOptions& selection) {
    FeatureOptions options;
    const auto& parameter = feature_parameters().front();
    const std::string& text = selection.structural_features;
    if (!text.empty() && !parameter.set(options, text))
        fail_unexpected(option_name(parameter.name), parameter.expected, text);
    return options;
}

std::vector<std::filesystem::path> input_files(const DatasetOptions& selection, const CommonOptions& options,
                                               const std::string& split) {
    std::vector<std::filesystem::path> files;
    if (!selection.dataset.empty() && selection.csv.edges.empty())
        files = dataset_files(selection.dataset, data_directory(options));
    for (const std::filesystem::path& file :
         {selection.csv.edges, selection.csv.nodes, selection.csv.features, std::filesystem::path(split)}) {
        std::error_code ignored;
        if (std::filesystem::exists(file, ignored)) files.push_back(file);
    }
    return files;
}

CsvFiles text_files(const DatasetOptions& selection) {
    check_selection(selection);
    if (selection.csv.edges.empty()) throw InputError("--edges FILE is missing");
    CsvFiles files = selection.csv;
    files.directions = edge_reading(selection).directions;
    files.judge_columns = edge_reading(selection).judge_columns;
    return files;
}

Dataset load(const DatasetOptions& selection, const CommonOptions& options, const ExecutionControl& control) {
    check_selection(selection);
    const Scale scale = scale_named(selection.scale);
    const auto read = [&] {
        const EdgeReading reading = edge_reading(selection);
        if (!selection.csv.edges.empty()) return read_csv_dataset(text_files(selection), control);
        if (selection.dataset == "synthetic" || !selection.synthetic.empty()) {
            if (reading.directions == Directions::kept)
                throw InputError("--directed: the edges of a synthetic graph have no directions");
            SyntheticOptions synthetic;
            apply_settings("--synthetic", selection.synthetic, synthetic_parameters(), synthetic);
            Dataset made = make_synthetic(synthetic, control);
            if (!reading.weights) made.edge_weights.clear();
            return made;
        }
        return load_dataset(selection.dataset, data_directory(options), control, reading);
    };
    Dataset dataset = or_out_of_memory(selection, read);
    throw_if_stopped();
    if (!selection.scale.empty()) set_scale(dataset, scale);
    for (std::string& message : dataset.notes) {
        message = in_options(message);
        note(options, fmt::format("{}: {}", dataset.name, message));
    }
    return dataset;
}

Dataset load_target(const DatasetOptions& selection, const TargetLimits& limits, const CommonOptions& options,
                    const ExecutionControl& control) {
    Dataset dataset = load(selection, options, control);
    check_target(dataset, limits);
    return dataset;
}

void tell_scaling(const FeatureScaling& scaling, const Dataset& dataset, const CommonOptions& options,
                  std::vector<std::string>& notes) {
    if (scaling.note.empty()) return;
    notes.push_back(in_options(scaling.note));
    note(options, fmt::format("{}: {}", dataset.name, notes.back()));
}

}  // namespace hwgcn::cli
