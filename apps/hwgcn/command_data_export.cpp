#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "io/formats.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct ExportOptions {
    CommonOptions common;
    DatasetOptions dataset;
    const Format* format = nullptr;
    std::filesystem::path out;
    bool force = false;
};

std::vector<std::pair<std::string, const Format*>> written_formats() {
    std::vector<std::pair<std::string, const Format*>> choices;
    for (const Format& format : formats()) {
        if (format.write != nullptr) choices.emplace_back(format.name, &format);
    }
    return choices;
}

const std::vector<Parameter<ExportOptions>>& export_parameters() {
    static const std::vector<Parameter<ExportOptions>> table = {
        choice_parameter("format", &ExportOptions::format, written_formats(), "of what is written"),
    };
    return table;
}

bool is_file(const Format& format) {
    return format.written.empty();
}

// "npz", or "csv and matrix-market".
std::string names_of(bool (*is_meant)(const Format&)) {
    std::vector<std::string> names;
    for (const auto& [name, format] : written_formats()) {
        if (is_meant(*format)) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, " and "));
}

// The files that the format is made of.
std::vector<Output> outputs_of(const ExportOptions& options) {
    std::vector<Output> outputs = {json_output(options.common)};
    outputs.push_back({"--out", options.out, !is_file(*options.format)});
    for (const std::string& name : options.format->written)
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

void check(const ExportOptions& options) {
    if (options.format == nullptr)
        throw InputError(fmt::format("--format is missing: {}", export_parameters().front().expected));
    if (options.out.empty())
        throw InputError(fmt::format("--out is missing: a file for {}, a folder for the other formats",
                                     names_of(is_file)));
    const Format& format = *options.format;
    if (is_file(format) && options.out.extension() != format.endings.front())
        throw InputError(fmt::format("--out {}: expected a name that ends in {}", options.out.string(),
                                     format.endings.front()));
    check_outputs(outputs_of(options), input_files(options.dataset, options.common));
    if (!options.force) refuse_to_replace(options);
}

int run_export(const ExportOptions& options) {
    check(options);
    const CommandExecution run(options.common);
    const Dataset dataset = load(options.dataset, options.common, run.control());
    options.format->write(options.out, dataset);
    const Json json = {
        {"dataset", dataset.name}, {"format", options.format->name},       {"out", options.out.string()},
        {"nodes", dataset.nodes},  {"features", dataset.features.columns}, {"classes", dataset.classes()}};
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
    const std::string folders = names_of([](const Format& format) { return !is_file(format); });
    command
        .add_option("--out", options->out,
                    fmt::format("a file for {}, a folder for {}", names_of(is_file), folders))
        ->type_name("PATH");
    command.add_flag("--force", options->force, "replace files that are there already")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_export(*options); }});
}

}  // namespace hwgcn::cli
