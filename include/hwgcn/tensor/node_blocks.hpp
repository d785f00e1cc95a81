#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "hwgcn/base/peers.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// How the nodes of a dataset are cut into blocks: runs of successive nodes, the units of work and of sums on
/// several machines. Order and blocks belong to the data, not to a run.
struct NodeBlocks {
    std::vector<Index> bounds;  ///< block b has the nodes bounds[b] .. bounds[b + 1] - 1

    Index count() const { return static_cast<Index>(bounds.size()) - 1; }
};

/// Who has which blocks: process r has a run of successive ones, maybe none.
struct Partition {
    NodeBlocks blocks;
    std::vector<Index> owners;  ///< process r has the blocks owners[r] .. owners[r + 1] - 1
    Peers* peers = nullptr;     ///< null: a single process, which has all

    int rank() const { return peers == nullptr ? 0 : peers->rank(); }
    bool is_shared() const { return peers != nullptr && peers->size() > 1; }

    Index first_block() const { return owners[rank()]; }
    Index end_block() const { return owners[rank() + 1]; }
    Index first_node() const { return blocks.bounds[first_block()]; }
    Index end_node() const { return blocks.bounds[end_block()]; }
    bool owns(Index node) const { return node >= first_node() && node < end_node(); }

    /// The process that has a block, or a node.
    int owner_of_block(Index block) const {
        const auto after = std::upper_bound(owners.begin(), owners.end(), block);
        return static_cast<int>(after - owners.begin()) - 1;
    }
    int owner_of(Index node) const {
        const std::vector<Index>& bounds = blocks.bounds;
        const auto after = std::upper_bound(bounds.begin(), bounds.end(), node);
        return owner_of_block(static_cast<Index>(after - bounds.begin()) - 1);
    }
};

/// All blocks, for a single process.
inline std::shared_ptr<const Partition> whole_partition(NodeBlocks blocks) {
    const Index count = blocks.count();
    return std::make_shared<const Partition>(Partition{std::move(blocks), {0, count}, nullptr});
}

}  // namespace hwgcn
