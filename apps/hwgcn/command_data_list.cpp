#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/graph/graph.hpp"
#include "hwgcn/io/readers.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct ListOptions {
    CommonOptions common;
    bool details = false;
};

// Sizes of a dataset, or the reason why it cannot be read.
void add_details(const CatalogEntry& entry, const std::filesystem::path& directory, Json& item,
                 std::vector<std::string>& cells) {
    try {
        const Dataset dataset = load_dataset(entry.name, directory);
        const Graph graph = graph_of(dataset);
        item["nodes"] = dataset.nodes;
        item["edges"] = graph.edges();
        item["features"] = dataset.features.columns;
        item["classes"] = dataset.classes();
        for (const std::int64_t count :
             {std::int64_t{dataset.nodes}, graph.edges(), std::int64_t{dataset.features.columns},
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

}  // namespace

void add_data_list_command(CLI::App& data, std::vector<Command>& commands) {
    const auto options = std::make_shared<ListOptions>();
    CLI::App& command = add_command(data, "list", "The datasets that can be named.",
                                    "  hwgcn data list\n"
                                    "  hwgcn data list --details");
    command.add_flag("--details", options->details, "read them and count nodes, edges, features and classes")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_list(*options); }});
}

}  // namespace hwgcn::cli
