#pragma once

#include <memory>
#include <utility>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

class RowExchange;

/// Which blocks the rows of matrices fall into, and which run of them is here.
struct RowLayout {
    NodeBlocks blocks;
    Index first_block = 0;
    Index end_block = 0;              ///< here are the blocks first_block .. end_block - 1
    RowExchange* exchange = nullptr;  ///< with those who have the others; null: all are here

    Index first_node() const { return blocks.bounds[first_block]; }
    Index end_node() const { return blocks.bounds[end_block]; }
    Index nodes() const { return end_node() - first_node(); }
    bool has(Index node) const { return node >= first_node() && node < end_node(); }
};

/// All blocks are here.
inline std::shared_ptr<const RowLayout> whole_layout(NodeBlocks blocks) {
    const Index count = blocks.count();
    return std::make_shared<const RowLayout>(RowLayout{std::move(blocks), 0, count});
}

}  // namespace hwgcn
