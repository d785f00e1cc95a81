#pragma once

#include <memory>
#include <vector>

#include "distributed/peers/peers.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

class ShardReader;

/// Who has which blocks: process r has a run of successive ones, maybe none.
class Partition : public RowLayout {
  public:
    /// Process r has the blocks owners[r] .. owners[r + 1] - 1. The peers must outlive it.
    Partition(NodeBlocks blocks, std::vector<Index> owners, Peers& peers);
    Partition(const Partition&) = delete;
    Partition& operator=(const Partition&) = delete;
    ~Partition();

    Peers& peers() const { return *peers_; }
    int rank() const { return peers_->rank(); }
    bool is_shared() const { return peers_->size() > 1; }
    const std::vector<Index>& owners() const { return owners_; }

    /// The first node of a process.
    Index first_node_of(int process) const { return blocks.bounds[owners_[process]]; }

    /// The process that has a block, or a node.
    int owner_of_block(Index block) const;
    int owner_of(Index node) const;

  private:
    std::vector<Index> owners_;
    Peers* peers_;
    std::unique_ptr<RowExchange> exchange_;
};

/// About as many nodes for each process, or as much of the operator where it is of higher order.
std::shared_ptr<const Partition> training_partition(const ShardReader& reader, bool higher_order,
                                                    Peers& peers);

/// For learning weights: the work, by walks of two steps, is shared evenly.
std::shared_ptr<const Partition> balanced_partition(const ShardReader& reader, Peers& peers);

}  // namespace hwgcn
