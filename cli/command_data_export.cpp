#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/writers.hpp"
#include "hwgcn/support/error.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

enum class ExportFormat { none, npz, csv, matrix_market };

struct ExportOptions {
    CommonOptions common;
    DatasetOptions dataset;
    ExportFormat format = ExportFormat::none;
    std::filesystem::path out;
    bool force = false;
};

const std::vector<Parameter<ExportOptions>>& export_parameters() {
    static const std::vector<Parameter<ExportOptions>> table = {
        choice_parameter<ExportOptions, ExportFormat>("format", &ExportOptions::format,
                                                      {{"npz", ExportFormat::npz},
                                                       {"csv", ExportFormat::csv},
                                                       {"matrix-market", ExportFormat::matrix_market}},
                                                      "of what is written"),
    };
    return table;
}

// The files that the format is made of.
std::vector<Output> outputs_of(const ExportOptions& options) {
    std::vector<Output> outputs = {json_output(options.common)};
    if (options.format == ExportFormat::npz) {
        outputs.push_back({"--out", options.out});
        return outputs;
    }
    outputs.push_back({"--out", options.out, true});
    const std::vector<std::string> names =
        options.format == ExportFormat::csv ? csv_file_names() : matrix_market_file_names();
    for (const std::string& name : names)
        outputs.push_back({"--out", options.out / name});
    return outputs;
}

void refuse_to_replace(const ExportOptions& options) {
    for (const Output& output : outputs_of(options)) {
        std::error_code ignored;
        if (output.option != "--out" || output.is_folder || !std::filesystem::exists(output.path, ignored))
            continue;
        throw InputError(fmt::format("--out: {} is there already; --force replaces it",
                                     printable(output.path.string(), 300)));
    }
}

int run_export(const ExportOptions& options) {
    if (options.format == ExportFormat::none)
        throw InputError("--format is missing: npz, csv or matrix-market");
    if (options.out.empty())
        throw InputError("--out is missing: a file for npz, a folder for the other formats");
    const bool is_file = options.format == ExportFormat::npz;
    if (is_file && options.out.extension() != ".npz")
        throw InputError(fmt::format("--out {}: expected a name that ends in .npz", options.out.string()));
    check_outputs(outputs_of(options), input_files(options.dataset, options.common));
    if (!options.force) refuse_to_replace(options);

    const CommandExecution run(options.common);
    const Dataset dataset = load(options.dataset, options.common, run.control());
    if (is_file) write_npz_dataset(options.out, dataset);
    if (options.format == ExportFormat::csv) write_csv_dataset(options.out, dataset);
    if (options.format == ExportFormat::matrix_market) write_matrix_market_dataset(options.out, dataset);
    const Json json = {{"dataset", dataset.name},
                       {"format", export_parameters().front().get(options)},
                       {"out", options.out.string()},
                       {"nodes", dataset.nodes},
                       {"features", dataset.features.columns},
                       {"classes", dataset.classes()}};
    deliver(fmt::format("Written: {} ({}, {})\n", options.out.string(), counted(dataset.nodes, "node"),
                        counted(dataset.features.columns, "feature")),
            json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_data_export_command(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& command = add_command(data, "export", "Write a dataset in another format.",
                                    "  hwgcn data export cora --format npz --out cora.npz\n"
                                    "  hwgcn data export karate --format csv --out karate/");
    add_dataset_options(command, options->dataset);
    add_parameter_options(command, export_parameters(), *options);
    command.add_option("--out", options->out, "a file for npz, a folder for csv and matrix-market")
        ->type_name("PATH");
    command.add_flag("--force", options->force, "replace files that are there already")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_export(*options); }});
}

}  // namespace hwgcn::cli
