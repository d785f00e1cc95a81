#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tensor/skip_gram.hpp"

namespace hwgcn {

/// A binary tree with the nodes of a graph as leaves, frequent ones near the root. To say which leaf is meant
/// takes one yes or no at each inner node on the way.
class HuffmanTree {
  public:
    /// Leaves are the nodes with a positive weight.
    explicit HuffmanTree(std::span<const double> weights);

    /// Inner nodes, at most one less than leaves; they are the rows of the targets.
    Index inner_nodes() const { return inner_nodes_; }

    /// Appends the answers on the way from the leaf to the root.
    void add_path(Index leaf, std::vector<SkipGramTarget>& targets) const {
        for (const SkipGramTarget* up = &leaves_[leaf]; up->row >= 0; up = &inner_[up->row])
            targets.push_back(*up);
    }

  private:
    Index inner_nodes_ = 0;
    // The parent of each node and which of its two children the node is; -1 where there is none.
    std::vector<SkipGramTarget> leaves_;
    std::vector<SkipGramTarget> inner_;
};

}  // namespace hwgcn
