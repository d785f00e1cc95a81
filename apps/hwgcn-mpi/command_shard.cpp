#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/parameter.hpp"
#include "hwgcn/base/peak_memory.hpp"
#include "hwgcn/distributed/shared_order.hpp"
#include "hwgcn/distributed/text_shards.hpp"

#include "cluster_command.hpp"
#include "common_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "shared_folder.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cluster {
namespace {

enum class Order { greedy, keep };

struct TextOptions {
    cli::CommonOptions common;
    cli::DatasetOptions dataset;
    Order order = Order::greedy;
    int block_size = 0;
    double memory = 0;  ///< GB
    std::filesystem::path out;
    bool force = false;
};

const std::vector<Parameter<TextOptions>>& text_parameters() {
    static const std::vector<Parameter<TextOptions>> table = {
        choice_parameter("order", &TextOptions::order, {{"greedy", Order::greedy}, {"keep", Order::keep}},
                         "greedy: neighbors near each other; keep: as in the data"),
        number_parameter("block_size", &TextOptions::block_size, Range<int>{0}, "N",
                         "nodes per block; 0: 16384, or a 64th of the nodes"),
        number_parameter("memory", &TextOptions::memory, Range<double>{0, 1e6}, "GB",
                         "edges and features of a process beyond it are sorted on the disk; 0: none are"),
    };
    return table;
}

std::string order_name(const TextOptions& options) {
    return text_parameters().front().get(options);
}

void check(const TextOptions& options) {
    if (options.out.empty()) throw InputError("--out is missing: a folder for the shards");
    if (!options.dataset.dataset.empty())
        throw InputError(
            fmt::format("{}: several processes read tables (--edges); hwgcn shard writes other "
                        "datasets, on one machine",
                        options.dataset.dataset));
    const std::filesystem::path list = options.out / "shards.json";
    cli::check_outputs({cli::json_output(options.common), {"--out", options.out, true}, {"--out", list}},
                       cli::input_files(options.dataset, options.common));
}

void tell(const TextOptions& options, const TextShards& written, int processes, double seconds,
          double peak_mb) {
    for (const std::string& note : written.notes)
        cli::note(options.common, fmt::format("{}: {}", written.name, cli::in_options(note)));
    const double rate = static_cast<double>(written.bytes) / 1e6 / seconds / processes;
    const cli::Json json = {{"dataset", written.name},
                            {"out", options.out.string()},
                            {"nodes", written.nodes},
                            {"blocks", written.blocks},
                            {"edges", written.pairs},
                            {"order", order_name(options)},
                            {"share_within_blocks", 100.0 * written.share_within_blocks},
                            {"processes", processes},
                            {"seconds", seconds},
                            {"megabytes_per_second", rate},
                            {"peak_mb", peak_mb}};
    cli::deliver(fmt::format("Written: {} ({} in {}; {})\n"
                             "{}, {:.1f} MB of text per second and process, at most {} each.\n"
                             "Edges within a block: {:.0f} %\n"
                             "Next: hwgcn-mpi weights {}\n",
                             options.out.string(), cli::counted(written.nodes, "node"),
                             cli::counted(written.blocks, "block"), cli::counted(written.pairs, "edge"),
                             cli::duration_text(seconds), rate, cli::memory_text(peak_mb),
                             100 * written.share_within_blocks, options.out.string()),
                 json, options.common.json);
}

int run_shard(const TextOptions& options, const Place& place) {
    const auto started = std::chrono::steady_clock::now();
    check(options);
    const CsvFiles files = cli::text_files(options.dataset);
    const cli::CommandExecution run(options.common);
    ExecutionControl control = run.control();
    if (!place.is_first()) control.progress = nullptr;
    const OldShards old = options.force ? OldShards::replaced : OldShards::stay;
    check_shard_folder(options.out,
                       old);  // before anything is written to a folder that may be of another kind
    expect_shared_folder(place.peers, options.out);
    TextShardOptions writing;
    writing.out = options.out;
    writing.old = old;
    writing.block_size = options.block_size;
    writing.scale = scale_named(options.dataset.scale);
    writing.order = order_name(options);
    writing.memory = static_cast<std::int64_t>(options.memory * 1e9);
    if (options.order == Order::greedy) {
        writing.find_order = [&](OwnNeighbors own, std::span<const Index> firsts, Index block_size) {
            return shared_greedy_order(std::move(own), firsts, block_size, place.peers, control);
        };
    }
    const TextShards written = shard_text(files, writing, place.peers, control);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double peak_mb = maximum(place.peers, peak_megabytes());
    if (place.is_first()) tell(options, written, place.peers.size(), seconds, peak_mb);
    return cli::exit_status::success;
}

}  // namespace

void add_shard_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place) {
    const auto options = std::make_shared<TextOptions>();
    CLI::App& command = cli::add_command(
        program, "shard", "Write tables that may be larger than a machine's memory as a folder of blocks.",
        "  mpirun -n 8 --map-by ppr:1:node hwgcn-mpi shard --edges edges.csv --nodes nodes.csv --out SHARDS");
    cli::add_dataset_options(command, options->dataset);
    cli::add_parameter_options(command, text_parameters(), *options);
    command.add_option("--out", options->out, "folder for shards.json and the parts, seen by all machines")
        ->type_name("DIR");
    command.add_flag("--force", options->force, "replace shards that are there already")
        ->disable_flag_override();
    cli::add_run_options(command, options->common);
    commands.push_back({&command, [options, &place] { return run_shard(*options, place); }});
}

}  // namespace hwgcn::cluster
