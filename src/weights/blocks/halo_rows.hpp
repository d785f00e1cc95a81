#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weights/blocks/node_set.hpp"
#include "weights/blocks/row_source.hpp"

namespace hwgcn {

/// The rows that were fetched for some nodes and around them, as long as they fit into the memory. From then
/// on nothing is asked for: others get theirs.
class HaloRows {
  public:
    /// Lists that were fetched together.
    struct Part {
        std::vector<Index> nodes;
        CsrMatrix<float> lists;
        // Of starts of lists only.
        std::vector<Index> counts;  ///< how much of each was wanted
        std::vector<double> degrees;
    };

    /// `own` ascends; the graph has so many nodes; 0 bytes of memory: no limit.
    HaloRows(RowSource& source, std::span<const Index> own, Index nodes, std::int64_t memory);

    bool fits() const { return fits_; }
    std::int64_t bytes() const { return bytes_; }

    /// The own nodes and those that lists lead to, ascending.
    const std::vector<Index>& nodes() const { return nodes_; }
    std::vector<Index> take_nodes() { return std::move(nodes_); }

    /// Fetches whole lists. Those who are in them for the first time, ascending.
    std::vector<Index> fetch_lists(std::vector<Index> nodes);

    /// Fetches starts of lists, which take the place of shorter ones. Edges below the weight `lightest` are
    /// passed over.
    void fetch_starts(std::span<const ListStart> wanted, float lightest);

    CsrMatrix<float> fetch_features(std::span<const Index> nodes);

    /// In the order in which they were fetched.
    const std::vector<Part>& parts() const { return parts_; }

    /// The lists of all nodes, with their numbers here; empty for those whose lists were not fetched.
    CsrMatrix<float> local_lists();
    /// The number here of one of the nodes, as `local_lists` has it.
    Index place_of(Index node) const { return set_.place_of(node); }

    /// Forgets the lists.
    void drop_lists() { parts_.clear(); }

  private:
    template <typename Wanted, typename Ask>
    auto fetch(std::span<const Wanted> wanted, const Ask& ask);
    std::vector<Index> add_part(Part part);

    RowSource& source_;
    std::int64_t left_;
    std::int64_t bytes_ = 0;
    bool fits_ = true;
    std::vector<Index> nodes_;
    NodeSet set_;  // of them
    std::vector<Part> parts_;
};

}  // namespace hwgcn
