#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hwgcn/base/run_control.hpp"

#include "distributed/io/text_parts.hpp"
#include "distributed/peers/peers.hpp"
#include "io/shards/shard_writing.hpp"

namespace hwgcn {

/// What a process has of the parts that it writes.
struct OwnParts {
    std::vector<CsrMatrix<float>> features;          ///< of each part
    std::string ids;                                 ///< of all their nodes, as `for_each_text` has them
    std::vector<Index> labels;                       ///< of all their nodes
    std::function<void(ShardPart& part)> add_edges;  ///< fills in neighbors and arcs, when it is their turn
};

/// What was written, beside shards.json.
struct WrittenShards {
    std::int64_t pairs = 0;          ///< connected nodes, each pair once; loops, too
    double share_within_blocks = 1;  ///< of the neighbors
};

/// Writes shards of which each process has some parts: byte for byte those that `write_shards` makes of the
/// whole. `outline` is the dataset without rows and lists.
WrittenShards write_shards_together(Peers& peers, const std::filesystem::path& folder, const Dataset& outline,
                                    bool weighted, const ShardLayout& layout, const TextParts& parts,
                                    OwnParts own, const ExecutionControl& control);

}  // namespace hwgcn
