#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// A vertex of the tree of blocks. One of level l stands for 2^l blocks, as far as there are so many.
struct BlockVertex {
    Index first;
    int level;
};

/// The binary tree of block numbers that sums go up: ((0 + 1) + (2 + 3)) + ((4 + 5) + ..).
class BlockTree {
  public:
    explicit BlockTree(Index blocks) : blocks_(blocks) {}

    BlockVertex root() const {
        const auto blocks = static_cast<std::uint32_t>(std::max<Index>(blocks_, 1));
        return {0, static_cast<int>(std::bit_width(blocks - 1))};
    }
    Index end_of(BlockVertex vertex) const {
        return static_cast<Index>(
            std::min<std::int64_t>(blocks_, vertex.first + (std::int64_t{1} << vertex.level)));
    }
    static BlockVertex left_of(BlockVertex vertex) { return {vertex.first, vertex.level - 1}; }
    BlockVertex right_of(BlockVertex vertex) const { return {end_of(left_of(vertex)), vertex.level - 1}; }
    bool has_right(BlockVertex vertex) const { return right_of(vertex).first < blocks_; }

  private:
    Index blocks_;
};

/// The sum of so many numbers over the blocks of a vertex.
template <typename T>
using VertexSum = std::function<std::vector<T>(BlockVertex vertex)>;

template <typename T>
void add_to(std::span<T> sum, std::span<const T> more) {
    for (std::size_t k = 0; k < sum.size(); ++k)
        sum[k] += more[k];
}

}  // namespace hwgcn
