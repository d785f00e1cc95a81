#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/data/dataset.hpp"
#include "hwgcn/linalg/node_blocks.hpp"

namespace hwgcn {

/// Nodes per block: 16,384, or fewer where there would be less than 64 blocks.
Index usual_block_size(Index nodes);

/// Blocks of `size` successive nodes; the last one may have fewer.
NodeBlocks even_blocks(Index nodes, Index size);

/// The same dataset with node `order[k]` as number k; ids stay with their nodes. Edges are merged, and lists
/// of the published split are in the new order.
Dataset reordered(const Dataset& dataset, std::span<const Index> order);

/// A dataset as a folder of plain NumPy arrays, in parts that are runs of whole blocks, so that a process can
/// read just what it needs: shards.json names sizes, bounds and the SHA-256 of every file.
struct ShardLayout {
    NodeBlocks blocks;
    std::string order;  ///< how it was found, for people: "greedy"
};

/// Writes it; shards.json comes last, so that a folder with one is whole. What is there is replaced.
void write_shards(const std::filesystem::path& folder, const Dataset& dataset, const ShardLayout& layout);

/// All parts as one dataset. Throws InputError where a file is missing or is not the one that was written.
Dataset read_shards(const std::filesystem::path& folder);

/// How the nodes of such a folder are cut.
ShardLayout read_shard_layout(const std::filesystem::path& folder);

/// The files that `read_shards` reads.
std::vector<std::filesystem::path> shard_files(const std::filesystem::path& folder);

}  // namespace hwgcn
