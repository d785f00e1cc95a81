#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/catalog.hpp"
#include "hwgcn/data/fetch.hpp"
#include "hwgcn/data/split.hpp"
#include "hwgcn/data/writers.hpp"
#include "hwgcn/graph/graph.hpp"
#include "hwgcn/support/error.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "environment.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

// --- list
// ---------------------------------------------------------------------------------------------------

struct ListOptions {
    CommonOptions common;
    bool details = false;
};

// Sizes of a dataset, or the reason why it cannot be read.
void add_details(const CatalogEntry& entry, const std::filesystem::path& directory, Json& item,
                 std::vector<std::string>& cells) {
    try {
        const Dataset dataset = load_dataset(entry.name, directory);
        const Graph graph(dataset.nodes, dataset.edges);
        item["nodes"] = dataset.nodes;
        item["edges"] = graph.edges();
        item["features"] = dataset.features.columns_count;
        item["classes"] = dataset.classes();
        for (const std::int64_t count :
             {std::int64_t{dataset.nodes}, graph.edges(), std::int64_t{dataset.features.columns_count},
              std::int64_t{dataset.classes()}})
            cells.push_back(grouped(count));
    } catch (const InputError& error) {
        item["error"] = error.what();
        say("warning", error.what());
        cells.insert(cells.end(), 4, "?");
    }
    throw_if_stopped();
}

int run_list(const ListOptions& options) {
    check_outputs({json_output(options.common)});
    const std::filesystem::path directory = data_directory(options.common);
    Json json = {{"data_directory", directory.string()}, {"datasets", Json::array()}};
    std::vector<Column> columns = {{"name", Align::left}, {"format", Align::left}};
    if (options.details) columns.insert(columns.end(), {{"nodes"}, {"edges"}, {"features"}, {"classes"}});
    columns.push_back({"path", Align::left});
    Table table(columns);
    for (const CatalogEntry& entry : list_datasets(directory)) {
        Json item = {{"name", entry.name}, {"format", entry.format}, {"path", entry.path.string()}};
        std::vector<std::string> cells = {printable(entry.name), entry.format};
        if (options.details) add_details(entry, directory, item, cells);
        cells.push_back(printable(entry.path.string(), 200));
        table.add(std::move(cells));
        json["datasets"].push_back(std::move(item));
    }
    deliver(table.text(), json, options.common.json);
    return exit_status::success;
}

void add_list(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<ListOptions>();
    CLI::App& command = add_command(data, "list", "The datasets that can be named.",
                                    "  hwgcn data list\n"
                                    "  hwgcn data list --details");
    command.add_flag("--details", options->details, "read them and count nodes, edges, features and classes")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_list(*options); }});
}

// --- fetch
// --------------------------------------------------------------------------------------------------

struct FetchCommandOptions {
    CommonOptions common;
    std::vector<std::string> names;
    FetchOptions fetch;
};

std::vector<std::string> names_to_fetch(const FetchCommandOptions& options) {
    std::vector<std::string> known;
    for (const FetchPlan& plan : fetch_plans())
        known.push_back(plan.dataset);
    for (const std::string& name : options.names) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            fail_unknown_name("dataset", name, known);
    }
    return options.names.empty() ? known : options.names;
}

int run_fetch(FetchCommandOptions options) {
    const std::vector<std::string> names = names_to_fetch(options);
    // Unlike for other commands, the folder need not be there yet.
    options.fetch.directory =
        options.common.data_directory.empty() ? default_data_directory() : options.common.data_directory;
    if (options.fetch.directory.empty()) throw InputError("no place for datasets: give --data-dir DIR");
    options.fetch.proxy = default_proxy();
    check_outputs({json_output(options.common)});
    if (!options.fetch.offline) check_outputs({{"--data-dir", options.fetch.directory, true}});

    const RunSettings run(options.common);
    Json json = {{"data_directory", options.fetch.directory.string()}, {"datasets", Json::array()}};
    Table table({{"dataset", Align::left}, {"downloaded"}, {"already there"}});
    for (const std::string& name : names) {
        const FetchResult result = fetch_dataset(name, options.fetch, run.control());
        for (const std::string& message : result.notes)
            note(options.common, message);
        table.add({name, fmt::to_string(result.downloaded), fmt::to_string(result.already_there)});
        json["datasets"].push_back({{"dataset", name},
                                    {"downloaded", result.downloaded},
                                    {"already_there", result.already_there},
                                    {"notes", result.notes}});
    }
    const std::string text = fmt::format("{}\nAll checksums match. Data directory: {}\n", table.text(),
                                         options.fetch.directory.string());
    deliver(text, json, options.common.json);
    return exit_status::success;
}

void add_fetch(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<FetchCommandOptions>();
    CLI::App& command =
        add_command(data, "fetch", "Download datasets and verify their checksums; never asks.",
                    "  hwgcn data fetch\n"
                    "  hwgcn data fetch cora --mirror https://example.org/planetoid");
    command.add_option("NAME", options->names, "cora, citeseer, pubmed (default: all three)");
    command
        .add_option("--mirror", options->fetch.mirrors,
                    "where to look in place of the usual places; repeatable")
        ->type_name("URL")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--offline", options->fetch.offline, "only verify what is there")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_fetch(*options); }});
}

// --- export
// -------------------------------------------------------------------------------------------------

enum class ExportFormat { none, npz, csv, matrix_market };

struct ExportOptions {
    CommonOptions common;
    DatasetOptions dataset;
    ExportFormat format = ExportFormat::none;
    std::filesystem::path out;
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

int run_export(const ExportOptions& options) {
    if (options.format == ExportFormat::none)
        throw InputError("--format is missing: npz, csv or matrix-market");
    if (options.out.empty())
        throw InputError("--out is missing: a file for npz, a folder for the other formats");
    const bool is_file = options.format == ExportFormat::npz;
    if (is_file && options.out.extension() != ".npz")
        throw InputError(fmt::format("--out {}: expected a name that ends in .npz", options.out.string()));
    check_outputs({json_output(options.common), {"--out", options.out, !is_file}});

    const RunSettings run(options.common);
    const Dataset dataset = load(options.dataset, options.common, run.control());
    if (is_file) write_npz_dataset(options.out, dataset);
    if (options.format == ExportFormat::csv) write_csv_dataset(options.out, dataset);
    if (options.format == ExportFormat::matrix_market) write_matrix_market_dataset(options.out, dataset);
    const Json json = {{"dataset", dataset.name},
                       {"format", export_parameters().front().get(options)},
                       {"out", options.out.string()},
                       {"nodes", dataset.nodes},
                       {"features", dataset.features.columns_count},
                       {"classes", dataset.classes()}};
    deliver(fmt::format("Written: {} ({}, {})\n", options.out.string(), counted(dataset.nodes, "node"),
                        counted(dataset.features.columns_count, "feature")),
            json, options.common.json);
    return exit_status::success;
}

void add_export(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& command = add_command(data, "export", "Write a dataset in another format.",
                                    "  hwgcn data export cora --format npz --out cora.npz\n"
                                    "  hwgcn data export karate --format csv --out karate/");
    add_dataset_options(command, options->dataset);
    add_parameter_options(command, export_parameters(), *options);
    command.add_option("--out", options->out, "a file for npz, a folder for csv and matrix-market")
        ->type_name("PATH");
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_export(*options); }});
}

// --- split
// --------------------------------------------------------------------------------------------------

struct SplitOptions {
    CommonOptions common;
    DatasetOptions dataset;
    std::string split = "random:20";
    std::uint64_t seed = 0;
    std::filesystem::path out;
};

const std::vector<Parameter<SplitOptions>>& split_parameters() {
    static const std::vector<Parameter<SplitOptions>> table = {
        number_parameter("seed", &SplitOptions::seed, Range<std::uint64_t>{0}, "S", "of a random split"),
    };
    return table;
}

// Nodes per class in the train, validation and test lists.
std::vector<std::array<std::int64_t, 3>> class_counts(const Dataset& dataset, const Split& split) {
    std::vector<std::array<std::int64_t, 3>> counts(dataset.class_names.size());
    const std::array<const std::vector<Index>*, 3> lists = {&split.train, &split.validation, &split.test};
    for (std::size_t part = 0; part < lists.size(); ++part) {
        for (const Index node : *lists[part])
            ++counts[dataset.labels[node]][part];
    }
    return counts;
}

int run_split(const SplitOptions& options) {
    check_outputs({json_output(options.common), {"--out", options.out}});
    const RunSettings run(options.common);
    const Dataset dataset = load(options.dataset, options.common, run.control());
    const Split split = make_split(dataset, options.split, options.seed);
    const std::string hash = split_hash(split, dataset);
    if (!options.out.empty()) write_split(options.out, split, dataset);

    Json classes = Json::array();
    Table table({{"class", Align::left}, {"train"}, {"validation"}, {"test"}});
    const auto counts = class_counts(dataset, split);
    for (std::size_t label = 0; label < counts.size(); ++label) {
        const auto& [train, validation, test] = counts[label];
        table.add(
            {printable(dataset.class_names[label], 40), grouped(train), grouped(validation), grouped(test)});
        classes.push_back({{"name", dataset.class_names[label]},
                           {"train", train},
                           {"validation", validation},
                           {"test", test}});
    }
    const auto size = [](const std::vector<Index>& list) { return static_cast<std::int64_t>(list.size()); };
    table.add(
        {"all", grouped(size(split.train)), grouped(size(split.validation)), grouped(size(split.test))});
    const Json json = {{"dataset", dataset.name},     {"split", split.name},
                       {"seed", options.seed},        {"hash", hash},
                       {"train", split.train.size()}, {"validation", split.validation.size()},
                       {"test", split.test.size()},   {"classes", classes},
                       {"out", options.out.string()}};
    std::string text = fmt::format("{}: {}\n{}\nhash {}\n", printable(dataset.name),
                                   printable(split.name, 200), table.text(), hash);
    if (!options.out.empty()) text += fmt::format("Written: {}\n", options.out.string());
    deliver(text, json, options.common.json);
    return exit_status::success;
}

void add_split(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<SplitOptions>();
    CLI::App& command =
        add_command(data, "split", "Draw, check or save a split into train, validation and test.",
                    "  hwgcn data split cora --split random:20 --seed 1 --out split.json\n"
                    "  hwgcn data split cora --split planetoid");
    add_dataset_options(command, options->dataset);
    command
        .add_option(
            "--split", options->split,
            "planetoid; random:PER_CLASS or random:PER_CLASS:VALIDATION:TEST; or a file (default random:20)")
        ->type_name("S");
    add_parameter_options(command, split_parameters(), *options);
    command.add_option("--out", options->out, "write it, with the original node ids")->type_name("FILE");
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_split(*options); }});
}

}  // namespace

void add_data_commands(CLI::App& program, std::vector<Command>& commands) {
    CLI::App& data = add_command(program, "data", "List, download, convert and split datasets.", "");
    data.require_subcommand(0, 1);
    add_list(data, commands);
    add_fetch(data, commands);
    add_export(data, commands);
    add_split(data, commands);
}

}  // namespace hwgcn::cli
