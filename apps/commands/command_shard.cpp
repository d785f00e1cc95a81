#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "base/peak_memory.hpp"
#include "execution_context.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "program_name.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

const std::vector<Parameter<ShardRequest>>& shard_parameters() {
    static const std::vector<Parameter<ShardRequest>> table = {
        choice_parameter(
            "order", &ShardRequest::order,
            {{"greedy", ShardOrder::greedy}, {"metis", ShardOrder::metis}, {"keep", ShardOrder::keep}},
            "greedy and metis: neighbors near each other; keep: as in the data"),
        number_parameter("block_size", &ShardRequest::block_size, Range<int>{0}, "N",
                         "nodes per block; 0: 16384, or a 64th of the nodes"),
        number_parameter(
            "memory", &ShardRequest::memory, Range<double>{0, 1e6}, "GB",
            "hwgcn-mpi: edges and features of a process beyond it are sorted on the disk; 0: none are"),
    };
    return table;
}

void check(const ShardRequest& request) {
    if (request.out.empty()) throw InputError("--out is missing: a folder for the shards");
    const std::filesystem::path list = request.out / "shards.json";
    check_outputs({json_output(request.data.common), {"--out", request.out, true}, {"--out", list}},
                  input_files(request.data.dataset, request.data.common));
}

std::string text_of(const WrittenShards& written, const ShardRequest& request, double seconds, double peak_mb,
                    const ExecutionContext& context) {
    const bool moved = written.share_before && request.order != ShardOrder::keep;
    return fmt::format(
        "Written: {0} ({1} in {2}; {3})\n"
        "Edges within a block: {4:.0f} %{5}\n"
        "{6}{7}, at most {8}.\n"
        "Next: {9} weights {0}\n",
        request.out.string(), counted(written.nodes, "node"), counted(written.blocks, "block"),
        counted(written.edges, "edge"), 100 * written.share_within_blocks,
        moved ? fmt::format(" (in the order of the data {:.0f} %)", 100 * *written.share_before) : "",
        duration_text(seconds), processes_text(context), memory_text(peak_mb), program_name());
}

int run_shard(const ShardRequest& request, const ExecutionContext& context) {
    const auto started = std::chrono::steady_clock::now();
    check(request);
    const CommandExecution run(request.data.common);
    const WrittenShards written = context.write_shards(request, run.control());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double peak_mb = context.maximum(peak_megabytes());
    const std::int64_t exchanged = context.exchanged_bytes();
    if (!context.is_first()) return exit_status::success;
    const auto& before = written.share_before;
    Json json = {{"dataset", written.dataset},
                 {"out", request.out.string()},
                 {"nodes", written.nodes},
                 {"blocks", written.blocks},
                 {"edges", written.edges},
                 {"order", request.order_name},
                 {"share_within_blocks", 100.0 * written.share_within_blocks},
                 {"share_within_blocks_before", before ? Json(100.0 * *before) : Json()},
                 {"seconds", seconds},
                 {"peak_mb", peak_mb}};
    add_processes(json, context, exchanged);
    if (written.text_bytes > 0)
        json["megabytes_per_second"] =
            static_cast<double>(written.text_bytes) / 1e6 / seconds / context.processes();
    deliver(text_of(written, request, seconds, peak_mb, context), json, request.data.common.json);
    return exit_status::success;
}

}  // namespace

void add_shard_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context) {
    const auto request = std::make_shared<ShardRequest>();
    CLI::App& command =
        add_command(program, "shard", "Write a dataset as a folder of blocks of neighboring nodes.",
                    "  hwgcn shard cora --out cora-shards\n"
                    "  hwgcn shard --edges edges.csv --nodes nodes.csv --order keep --out shards");
    add_dataset_options(command, request->data.dataset);  // in any context: other data are shards already
    add_parameter_options(command, shard_parameters(), *request);
    command.add_option("--out", request->out, "folder for shards.json and the parts")->type_name("DIR");
    command.add_flag("--force", request->force, "replace shards that are there already")
        ->disable_flag_override();
    context.add_common_options(command, request->data.common);
    commands.push_back({&command, [request, &context] {
                            request->order_name = shard_parameters().front().get(*request);
                            return run_shard(*request, context);
                        }});
}

}  // namespace hwgcn::cli
