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

    /// The rings 1..max_order by distance from one search; ring k is at index k-1. Valid until the next call.
    std::vector<std::span<const Index>> rings(Index node, int max_order);

  private:
    void begin_search();
    void expand_by_distance();
    void search_by_distance(Index node, int max_order);
    void search_by_power(Index node, int order);
    std::span<const Index> found_ring(int order) const;

    const Graph* graph_;
    std::vector<std::uint32_t> seen_in_;  // per node: the search that reached it last
    std::uint32_t search_ = 0;
    std::vector<Index> reached_;  // in the order of discovery
    std::vector<Index> next_;
    std::vector<std::size_t>
        bounds_;  // by distance: ring k is reached_[bounds_[k]..bounds_[k+1]), ring 0 the node
};

}  // namespace hwgcn
