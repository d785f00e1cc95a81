#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "command.hpp"
#include "distributed/peers/peers.hpp"

namespace hwgcn::cluster {

/// Where a command runs: all processes, and the machine of this one.
struct Place {
    Peers& peers;
    std::string node;

    bool is_first() const { return peers.rank() == 0; }  ///< the process that prints
};

// Each adds its syntax to `program` and itself to `commands`.
void add_shard_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place);
void add_weights_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place);
void add_train_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place);
void add_predict_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place);
void add_evaluate_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place);

}  // namespace hwgcn::cluster
