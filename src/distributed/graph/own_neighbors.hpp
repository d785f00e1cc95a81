#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/node_order.hpp"

namespace hwgcn {

/// The neighbors of successive nodes: ascending, each once, without loops.
struct OwnNeighbors {
    std::vector<std::int64_t> offsets{0};
    std::vector<Index> neighbors;

    Index nodes() const { return static_cast<Index>(offsets.size()) - 1; }
    std::span<const Index> of(Index k) const {
        return {neighbors.data() + offsets[k], neighbors.data() + offsets[k + std::size_t{1}]};
    }
};

/// Finds an order together with the other processes: process r has the neighbors of the nodes firsts[r] ..
/// firsts[r + 1] - 1, and all get the whole order.
using FindOrder = std::function<NodeOrder(OwnNeighbors own, std::span<const Index> firsts, Index block_size)>;

}  // namespace hwgcn
