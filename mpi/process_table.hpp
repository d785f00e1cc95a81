#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/neighbor_weights/learn_blocks.hpp"

#include "cluster_command.hpp"
#include "output.hpp"

namespace hwgcn::cluster {

/// What a process did and took.
struct ProcessLine {
    std::string node;
    std::int64_t blocks = 0;     ///< that it has
    std::int64_t nodes = 0;      ///< in them
    std::int64_t rounds = 0;     ///< in which it fetched rows
    std::int64_t halo_rows = 0;  ///< fetched around its nodes, over all rounds
    double received_mb = 0;
    double peak_mb = 0;
};

/// The lines of all processes at the first one, nothing elsewhere. All call it.
std::vector<ProcessLine> lines_of_all(const Place& place, const ProcessLine& own);

/// "1 process", "4 processes"
std::string process_count(std::size_t count);

std::string processes_text(std::span<const ProcessLine> lines);
cli::Json processes_json(std::span<const ProcessLine> lines);

}  // namespace hwgcn::cluster
