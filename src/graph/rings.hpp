#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/graph/graph.hpp"

#include "graph/sample_order.hpp"

namespace hwgcn {

/// Searches rings around one node after another; holds the scratch memory (a few numbers per node), so keep
/// one per thread.
class RingSearch {
  public:
    explicit RingSearch(const Graph& graph);

    /// Cuts rings by distance, from order 2 on, to the `limit` members that come first in `order`, which is
    /// that of `graph`. A ring is searched from the one before it as that was cut; what was cut off lies in
    /// no ring, so that a later one may still reach it. Members come in the order of discovery, as always.
    RingSearch(const Graph& graph, std::shared_ptr<const SampleOrder> order, std::int64_t limit);

    /// The neighbors of `node` of exactly that order >= 1, in a deterministic order. Valid until the next
    /// call.
    std::span<const Index> ring(Index node, int order, Neighborhood neighborhood = Neighborhood::distance);

    /// The rings 1..max_order by distance from one search; ring k is at index k-1. Valid until the next call.
    std::vector<std::span<const Index>> rings(Index node, int max_order);

    /// Whether the last search has cut a ring: the one asked for or one on the way to it.
    bool has_cut() const { return has_cut_; }

    /// Entries of neighbor lists that all searches by distance have read: the measure of their work.
    std::int64_t entries_read() const { return entries_read_; }

  private:
    struct Candidate {
        std::size_t found_from;  // the first of the frontier that has it as a neighbor
        Index place;
    };

    void begin_search();
    void expand_by_distance();
    void expand_by_sample(std::size_t limit);
    Index cut_candidates(std::size_t limit);
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
    std::int64_t entries_read_ = 0;
    bool has_cut_ = false;
    // Where rings are cut. Marks are then by place, not by node.
    std::shared_ptr<const SampleOrder> order_;
    std::size_t limit_ = 0;
    std::vector<Candidate> candidates_;
};

}  // namespace hwgcn
