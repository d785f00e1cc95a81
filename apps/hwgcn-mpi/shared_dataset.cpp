#include "shared_dataset.hpp"

#include <algorithm>

#include "hwgcn/weights/learn_weights.hpp"

#include "method_options.hpp"
#include "operators/propagation.hpp"
#include "shared_folder.hpp"

namespace hwgcn::cluster {

void add_shard_options(CLI::App& command, ShardOptions& options) {
    command
        .add_option("--weights", options.weights,
                    "folder of learned weights, as hwgcn-mpi weights --out wrote them; what is missing is "
                    "learned into it; default: the cache of weights")
        ->type_name("DIR");
    command
        .add_option("--weights-memory", options.memory_gb,
                    "gigabytes for rows of foreign nodes while weights are learned; 0: no limit")
        ->check(CLI::NonNegativeNumber)
        ->type_name("GB");
    cli::add_run_options(command, options.common);
}

bool asks_for_weights(const std::string& methods, const std::vector<Setting>& given) {
    return std::ranges::any_of(cli::chosen_methods(methods, given, ""), [](const AskedMethod& method) {
        const auto* settings = std::get_if<MethodSettings>(&method);
        return settings != nullptr && order_of(*settings) > 1;
    });
}

SharedDataset::SharedDataset(Peers& peers, const std::filesystem::path& folder, bool higher_order)
    : reader(folder), partition(training_partition(reader, higher_order, peers)) {
    expect_same(peers, "list of shards (shards.json)", reader.list_hash());
}

ExecutionControl control_of(const Peers& peers, const cli::CommandExecution& run) {
    ExecutionControl control = run.control();
    if (peers.rank() != 0) control.progress = nullptr;
    return control;
}

Propagation shared_operator(const SharedDataset& dataset, const GraphPart& part,
                            const MethodSettings& settings, const ShardOptions& options,
                            const ExecutionControl& control, std::vector<std::string>& notes) {
    if (order_of(settings) == 1) return make_shared_operator(part, settings, {});
    const std::filesystem::path folder =
        options.weights.empty() ? cli::cache_directory(cli::CacheOptions{}) : options.weights;
    Peers& peers = dataset.partition->peers();
    expect_shared_folder(peers, folder);
    const WeightOptions& wanted = settings.weights();
    const BlockWeights learned =
        learn_blocks(dataset.reader, *balanced_partition(dataset.reader, peers), wanted,
                     {folder, static_cast<std::int64_t>(1e9 * options.memory_gb)}, control);
    notes.insert(notes.end(), learned.notes.begin(), learned.notes.end());
    for (const OrderSummary& order : learned.orders)
        check_solved(order, wanted);
    const LearnedWeights weights = read_block_weights(dataset.reader, dataset.partition->first_block,
                                                      dataset.partition->end_block, wanted, folder);
    return make_shared_operator(part, settings, weights);
}

}  // namespace hwgcn::cluster
