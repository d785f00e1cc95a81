#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/graph/graph.hpp"

namespace hwgcn {

/// What "the neighbours of order k" are.
enum class Neighborhood {
    distance,  ///< nodes at shortest-path distance exactly k (the method; orders never overlap)
    power,     ///< non-zeros of row i of A^k other than i itself (the ablation; orders overlap)
};

/// Searches rings around one node after another; holds the scratch memory (a few numbers per node), so keep
/// one per thread.
class RingSearch {
  public:
    explicit RingSearch(const Graph& graph);

    /// The neighbours of `node` of exactly that order >= 1, in a deterministic order. Valid until the next
    /// call.
    std::span<const Index> ring(Index node, int order, Neighborhood neighborhood = Neighborhood::distance);

    /// The rings 1..max_order by distance, one after the other: ring k is members[bounds[k-1]..bounds[k]).
    struct Rings {
        std::span<const Index> members;
        std::span<const std::size_t> bounds;
    };
    Rings rings(Index node, int max_order);

  private:
    void start(Index node);
    void expand();

    const Graph* graph_;
    std::vector<std::uint32_t> seen_in_;  // per node: the search that reached it last
    std::uint32_t search_ = 0;
    std::vector<Index> reached_;  // in the order of discovery; holds `source_` first
    std::vector<std::size_t> bounds_;
};

}  // namespace hwgcn
