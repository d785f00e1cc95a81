#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "environment.hpp"
#include "fetch/fetch.hpp"
#include "output.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

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
    // What is complete need not be writable.
    const auto is_there = [&](const std::string& name) { return has_dataset(name, options.fetch.directory); };
    if (!options.fetch.offline && !std::ranges::all_of(names, is_there))
        check_outputs({{"--data-dir", options.fetch.directory, true}});

    const CommandExecution run(options.common);
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
                                         printable(options.fetch.directory.string(), 300));
    deliver(text, json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_data_fetch_command(CLI::App& data, std::vector<Command>& commands) {
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

}  // namespace hwgcn::cli
