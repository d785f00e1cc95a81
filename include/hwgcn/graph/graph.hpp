#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/data/dataset.hpp"
#include "hwgcn/linalg/csr_matrix.hpp"

namespace hwgcn {

/// A validated undirected graph: symmetric 0/1 adjacency A, duplicates collapsed. Self-loops stay on the
/// diagonal of A but are kept apart from the neighbour lists, because rings ignore them.
class Graph {
  public:
    /// Throws InputError where an edge end is out of range.
    Graph(Index nodes, std::span<const Edge> edges);

    Index nodes() const { return static_cast<Index>(offsets_.size()) - 1; }

    /// Undirected edges without loops.
    std::int64_t edges() const { return static_cast<std::int64_t>(neighbors_.size()) / 2; }
    std::int64_t self_loops() const { return self_loops_; }

    /// Neighbours other than the node itself, ascending.
    std::span<const Index> neighbors(Index node) const {
        const auto begin = static_cast<std::size_t>(offsets_[node]);
        return {neighbors_.data() + begin, static_cast<std::size_t>(offsets_[node + 1]) - begin};
    }
    bool has_self_loop(Index node) const { return loop_[node] != 0; }

    /// Row sum of A + I.
    double degree_with_identity(Index node) const {
        return static_cast<double>(neighbors(node).size()) + (has_self_loop(node) ? 2.0 : 1.0);
    }

    std::span<const std::int64_t> offsets() const { return offsets_; }
    std::span<const Index> all_neighbors() const { return neighbors_; }

  private:
    std::vector<std::int64_t> offsets_;
    std::vector<Index> neighbors_;
    std::vector<std::uint8_t> loop_;
    std::int64_t self_loops_ = 0;
};

}  // namespace hwgcn
