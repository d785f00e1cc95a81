#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "common_options.hpp"
#include "distributed/shared_run.hpp"
#include "distributed/weights/learn_blocks.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::cluster {

/// What every command on shards takes.
struct ShardOptions {
    cli::CommonOptions common;
    std::filesystem::path shards;
    std::filesystem::path weights;  ///< the folder of learned weights; empty: the cache of weights
    double memory_gb = 0;           ///< for rows of foreign nodes; 0: no limit
};
void add_shard_options(CLI::App& command, ShardOptions& options);

/// The dataset as one process of several sees it: which nodes are its own.
struct SharedDataset {
    /// `higher_order`: a method on learned weights is among those that will be trained.
    SharedDataset(Peers& peers, const std::filesystem::path& folder, bool higher_order);

    ShardReader reader;
    std::shared_ptr<const Partition> partition;
};

/// Whether one of these methods, with these settings, is trained on learned weights.
bool asks_for_weights(const std::string& methods, const std::vector<Setting>& given);

/// The same threads and the same way to stop; only the first process shows progress.
ExecutionControl control_of(const Peers& peers, const cli::CommandExecution& run);

/// The operator of a method on a process's part of the graph. Weights that are missing are learned first,
/// block by block, into the folder of the options.
Propagation shared_operator(const SharedDataset& dataset, const GraphPart& part,
                            const MethodSettings& settings, const ShardOptions& options,
                            const ExecutionControl& control, std::vector<std::string>& notes);

}  // namespace hwgcn::cluster
