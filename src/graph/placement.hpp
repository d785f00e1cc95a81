#pragma once

#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// Nodes in blocks, while the greedy order puts them there, one after the other, in several passes.
class Placement {
  public:
    static constexpr int passes = 5;

    Placement(Index nodes, Index block_size);

    /// Every node again; neighbors that have not come yet count where the pass before has put them.
    void begin_pass();

    /// The block that has most of the neighbors, times the room that is left in it.
    Index best_block(std::span<const Index> neighbors);
    void put(Index node, Index block) {
        block_of_[node] = block;
        ++sizes_[block];
    }

    const std::vector<Index>& block_of() const { return block_of_; }
    Index blocks() const { return static_cast<Index>(sizes_.size()); }

  private:
    Index size_;
    Index capacity_;
    std::vector<Index> block_of_;
    std::vector<Index> sizes_;
    std::vector<Index> links_;    // of the node at hand, per block
    std::vector<Index> touched_;  // blocks with links
    Index filling_ = 0;
};

}  // namespace hwgcn
