#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "weights/blocks/halo_rows.hpp"

namespace hwgcn {

/// Fetches as much of neighbor lists as the sampled rings of some nodes are found by, ring after ring. What
/// others have to send is bounded by the samples, however long their lists are.
///
/// Of the list of a node in ring k - 1, only entries that are in no ring before k matter, and of these the
/// first N in the order of samples; one more tells that the ring is cut. So the first 2 N + 1 entries are
/// enough where at most N of them are in rings before. They are fetched of every list; the search shows where
/// they are not enough.
class SampledLists {
  public:
    /// Fetches the lists of the `own` nodes, whole. All arguments must outlive it.
    SampledLists(HaloRows& rows, const ShardReader& reader, std::span<const Index> own,
                 const WeightOptions& options, const ExecutionControl& control);

    /// Fetches what the rings of this order are found by, when those before are found.
    void find_rings(int order);

    /// When all are found: what is known of the graph, with the degrees of the own nodes and their neighbors
    /// as the whole has them. The fetched lists are dropped.
    Graph take_graph();

    /// Whose features are needed: the own nodes, their neighbors, and the members of the rings, ascending.
    std::vector<Index> members() const;

  private:
    struct Found {
        std::vector<Index> members;          ///< of the rings
        std::vector<ListStart> short_lists;  ///< that are needed further
    };

    Index first_count() const;
    void want_lists_of_neighbors();
    void fetch(std::span<const ListStart> wanted);
    void build_graph();
    Found search(int order);

    HaloRows& rows_;
    const ShardReader& reader_;
    std::span<const Index> own_;
    const WeightOptions& options_;
    ExecutionControl control_;
    std::int64_t limit_;  // N
    float lightest_;      // edges that rings are searched in
    NodeSet listed_;      // nodes whose lists are known, at least their starts
    NodeSet members_;
    std::vector<ListStart> frontier_;  // the starts that come next
    // Of the lists so far.
    std::optional<Graph> graph_;
    std::vector<bool> cut_;  // lists that may go on
};

}  // namespace hwgcn
