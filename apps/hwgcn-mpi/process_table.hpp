#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "distributed/peers/peers.hpp"
#include "output.hpp"
#include "weights/blocks/learn_blocks.hpp"

namespace hwgcn::cluster {

/// What a process did and took.
struct ProcessLine {
    std::int64_t blocks = 0;     ///< that it has
    std::int64_t nodes = 0;      ///< in them
    std::int64_t rounds = 0;     ///< in which it fetched rows
    std::int64_t halo_rows = 0;  ///< fetched around its nodes, over all rounds
    double received_mb = 0;
    double peak_mb = 0;
    double nodes_per_second = 0;  ///< 0: had nothing to learn
};

/// The machines and the lines of all processes at the first one, nothing elsewhere. All call it.
std::vector<std::string> machines_of_all(Peers& peers, const std::string& node);
std::vector<ProcessLine> lines_of_all(Peers& peers, const ProcessLine& own);

/// "210 to 260 nodes/s per process (slowest: 3 on node17)"; empty where fewer than two have learned
/// something.
std::string rates_text(std::span<const LearnedNodes> processes, std::span<const std::string> machines);

std::string processes_text(std::span<const ProcessLine> lines, std::span<const std::string> machines);
cli::Json processes_json(std::span<const ProcessLine> lines, std::span<const std::string> machines);

}  // namespace hwgcn::cluster
