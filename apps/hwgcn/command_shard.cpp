#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "graph/node_order.hpp"
#include "io/shards/shards.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

enum class Order { greedy, metis, keep };

struct ShardOptions {
    CommonOptions common;
    DatasetOptions dataset;
    Order order = Order::greedy;
    int block_size = 0;
    std::filesystem::path out;
    bool force = false;
};

const std::vector<Parameter<ShardOptions>>& shard_parameters() {
    static const std::vector<Parameter<ShardOptions>> table = {
        choice_parameter("order", &ShardOptions::order,
                         {{"greedy", Order::greedy}, {"metis", Order::metis}, {"keep", Order::keep}},
                         "greedy and metis: neighbors near each other; keep: as in the data"),
        number_parameter("block_size", &ShardOptions::block_size, Range<int>{0}, "N",
                         "nodes per block; 0: 16384, or a 64th of the nodes"),
    };
    return table;
}

void check(const ShardOptions& options) {
    if (options.out.empty()) throw InputError("--out is missing: a folder for the shards");
    if (options.order == Order::metis) require_metis();
    const std::filesystem::path list = options.out / "shards.json";
    check_outputs({json_output(options.common), {"--out", options.out, true}, {"--out", list}},
                  input_files(options.dataset, options.common));
}

// The dataset in the order that was asked for, and its blocks.
struct Arranged {
    Dataset dataset;
    NodeBlocks blocks;
    double within = 0;         // share of the edges within a block
    double within_before = 0;  // with as many blocks, in the order of the data
};

Arranged arrange(const ShardOptions& options, Dataset dataset, const ExecutionControl& control) {
    const Graph graph(dataset.nodes, dataset.edges);
    const Index size = options.block_size > 0 ? options.block_size : usual_block_size(dataset.nodes);
    NodeBlocks even = even_blocks(dataset.nodes, size);
    const double before = share_within_blocks(graph, even);
    if (options.order == Order::keep) return {std::move(dataset), std::move(even), before, before};
    NodeOrder found = options.order == Order::metis ? metis_order(graph, size, control)
                                                    : greedy_order(graph, size, control);
    Dataset result = reordered(dataset, found.order);
    const double within = share_within_blocks(Graph(result.nodes, result.edges), found.blocks);
    return {std::move(result), std::move(found.blocks), within, before};
}

int run_shard(const ShardOptions& options) {
    check(options);
    ShardFolder out(options.out, options.force ? OldShards::replaced : OldShards::stay);
    const CommandExecution run(options.common);
    const Arranged arranged =
        arrange(options, load(options.dataset, options.common, run.control()), run.control());
    const Dataset& dataset = arranged.dataset;
    const std::string order = shard_parameters().front().get(options);
    write_shards(out, dataset, {arranged.blocks, order});
    const Json json = {{"dataset", dataset.name},
                       {"out", options.out.string()},
                       {"nodes", dataset.nodes},
                       {"blocks", arranged.blocks.count()},
                       {"order", order},
                       {"share_within_blocks", 100.0 * arranged.within},
                       {"share_within_blocks_before", 100.0 * arranged.within_before}};
    deliver(fmt::format("Written: {} ({} in {})\n"
                        "Edges within a block: {:.0f} %{}\n"
                        "Next: hwgcn weights {}\n",
                        options.out.string(), counted(dataset.nodes, "node"),
                        counted(arranged.blocks.count(), "block"), 100 * arranged.within,
                        options.order == Order::keep ? ""
                                                     : fmt::format(" (in the order of the data {:.0f} %)",
                                                                   100 * arranged.within_before),
                        options.out.string()),
            json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_shard_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<ShardOptions>();
    CLI::App& command =
        add_command(program, "shard", "Write a dataset as a folder of blocks of neighboring nodes.",
                    "  hwgcn shard cora --out cora-shards\n"
                    "  hwgcn shard --edges edges.csv --nodes nodes.csv --order keep --out shards");
    add_dataset_options(command, options->dataset);
    add_parameter_options(command, shard_parameters(), *options);
    command.add_option("--out", options->out, "folder for shards.json and the parts")->type_name("DIR");
    command.add_flag("--force", options->force, "replace shards that are there already")
        ->disable_flag_override();
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_shard(*options); }});
}

}  // namespace hwgcn::cli
