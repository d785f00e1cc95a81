#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "base/peak_memory.hpp"
#include "cluster_command.hpp"
#include "common_options.hpp"
#include "distributed/weights/learn_blocks.hpp"
#include "io/shards/shards.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "process_table.hpp"
#include "shared_folder.hpp"
#include "tables.hpp"
#include "usage.hpp"
#include "weights/weight_parameters.hpp"
#include "weights_report.hpp"

namespace hwgcn::cluster {
namespace {

using cli::Json;
using Clock = std::chrono::steady_clock;

struct BlockWeightsOptions {
    cli::CommonOptions common;
    std::filesystem::path shards;
    WeightOptions weights;
    bool lambda_given = false;
    double memory = 0;  ///< GB
    std::filesystem::path out;
};

const std::vector<Parameter<BlockWeightsOptions>>& block_parameters() {
    static const std::vector<Parameter<BlockWeightsOptions>> table = {
        number_parameter("memory", &BlockWeightsOptions::memory, Range<double>{0, 1e6}, "GB",
                         "for fetched rows, per process: more is done in several rounds; 0: no limit"),
    };
    return table;
}

void check(const BlockWeightsOptions& options) {
    if (options.shards.empty())
        throw InputError("no shards were given: expected a folder that hwgcn shard wrote");
    if (options.out.empty()) throw InputError("--out is missing: a folder for the weights");
    cli::check_weight_options(options.weights, options.lambda_given);
    cli::check_outputs({cli::json_output(options.common), {"--out", options.out, true}},
                       {options.shards / "shards.json"});
}

/// What the first process tells.
struct FinishedBlocks {
    const BlockWeightsOptions& options;
    const ShardReader& reader;
    const BlockWeights& learned;
    const std::vector<ProcessLine>& processes;
    int threads;
    double seconds;
};

cli::NodeName node_name(const ShardReader& reader) {
    return [&reader](Index node) {
        const std::vector<std::string> ids = reader.ids(node, node + 1);
        return ids.empty() ? fmt::to_string(node) : ids.front();
    };
}

std::vector<cli::OrderLine> order_lines(const BlockWeights& learned) {
    std::vector<cli::OrderLine> lines;
    for (const OrderSummary& summary : learned.orders)
        lines.push_back({summary, ""});
    return lines;
}

std::string text_of(const FinishedBlocks& run) {
    const std::vector<cli::OrderLine> lines = order_lines(run.learned);
    const std::string name = cli::printable(run.reader.outline().name);
    return fmt::format("{}\n{}\n{}\n{}\n{} learned, {} there already; {} on {} of {}.\nWritten: {}\n",
                       cli::heading(name), cli::orders_text(lines, run.reader.nodes()),
                       cli::statistics_text(lines), processes_text(run.processes),
                       cli::counted(run.learned.learned, "block"), run.learned.found,
                       cli::duration_text(run.seconds), process_count(run.processes.size()),
                       cli::counted(run.threads, "thread"), run.options.out.string());
}

Json json_of(const FinishedBlocks& run) {
    Json parameters = cli::parameters_json(run.options.weights);
    parameters.erase("keep");  // is applied where weights are read
    Json json = {{"dataset", run.reader.outline().name},
                 {"out", run.options.out.string()},
                 {"threads", run.threads},
                 {"seconds", run.seconds},
                 {"learned_blocks", run.learned.learned},
                 {"found_blocks", run.learned.found},
                 {"parameters", parameters},
                 {"orders", Json::array()},
                 {"processes", processes_json(run.processes)},
                 {"notes", run.learned.notes}};
    for (const OrderSummary& summary : run.learned.orders)
        json["orders"].push_back(cli::order_json(summary, run.reader.nodes(), node_name(run.reader)));
    return json;
}

ProcessLine own_line(const Place& place, const Partition& partition, const BlockWeights& learned) {
    return {place.node,        partition.end_block - partition.first_block,
            partition.nodes(), learned.rounds,
            learned.halo_rows, static_cast<double>(place.peers.bytes_received()) / 1e6,
            peak_megabytes(),  learned.own.per_second()};
}

// There may be one for every block.
void warn_of_some(const std::vector<std::string>& notes) {
    constexpr std::size_t shown = 5;
    for (std::size_t k = 0; k < std::min(shown, notes.size()); ++k)
        cli::say("warning", notes[k]);
    if (notes.size() > shown)
        cli::say("warning", fmt::format("and {} more like these; --json has all", notes.size() - shown));
}

void tell(const FinishedBlocks& run) {
    const std::vector<cli::OrderLine> lines = order_lines(run.learned);
    for (const std::string& note : run.reader.outline().notes)
        cli::note(run.options.common, note);
    cli::warn_of_orders(lines, run.options.weights, node_name(run.reader));
    warn_of_some(run.learned.notes);
    cli::warn_of_no_weights(lines);
    cli::deliver(text_of(run), json_of(run), run.options.common.json);
}

int run_weights(BlockWeightsOptions options, const Place& place) {
    const auto started = Clock::now();
    check(options);
    if (!place.is_first()) options.common.quiet = true;
    const cli::CommandExecution run(options.common);
    const ShardReader reader(options.shards);
    expect_same(place.peers, "list of shards", reader.list_hash());
    expect_shared_folder(place.peers, options.out);
    const auto partition = balanced_partition(reader, place.peers);
    const std::vector<std::string> machines = machines_of_all(place);
    const BlockOptions files{options.out, static_cast<std::int64_t>(options.memory * 1e9)};
    const auto hear = [&](std::span<const LearnedNodes> processes) {
        run.describe(rates_text(processes, machines));
    };
    const BlockWeights learned =
        learn_blocks(reader, *partition, options.weights, files, run.control(), hear);
    const std::vector<ProcessLine> processes = lines_of_all(place, own_line(place, *partition, learned));
    const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
    if (place.is_first()) tell({options, reader, learned, processes, thread_count(run.control()), seconds});
    return cli::status_of_orders(order_lines(learned));
}

}  // namespace

void add_weights_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place) {
    const auto options = std::make_shared<BlockWeightsOptions>();
    CLI::App& command = cli::add_command(
        program, "weights", "Learn the weights of higher-order neighbors, block by block.",
        "  mpirun -n 8 --map-by ppr:1:node --bind-to none hwgcn-mpi weights DATA --order 2 --out W\n"
        "  hwgcn train DATA --cache-dir W               uses them");
    command.add_option("SHARDS", options->shards, "a folder that hwgcn shard wrote, seen by all machines");
    std::vector<std::string_view> names;
    for (const Parameter<WeightOptions>& parameter : weight_parameters())
        if (parameter.name != "keep") names.push_back(parameter.name);
    cli::add_parameter_options(command, weight_parameters(), options->weights, names);
    command.add_option("--out", options->out, "folder for the weights, seen by all machines")
        ->type_name("DIR");
    cli::add_parameter_options(command, block_parameters(), *options);
    cli::add_run_options(command, options->common);
    commands.push_back({&command, [options, &command, &place] {
                            options->lambda_given = command.count("--lambda") > 0;
                            return run_weights(*options, place);
                        }});
}

}  // namespace hwgcn::cluster
