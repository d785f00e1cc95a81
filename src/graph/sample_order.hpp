#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/graph/graph.hpp"

namespace hwgcn {

/// A fixed hash of a node number; numbers that differ have hashes that differ.
std::uint64_t sample_hash(std::uint64_t number);

/// The nodes of a graph in the order in which samples take them: by the hash of their number, the same for
/// all rings, so that rings with common members choose the same ones. With it the neighbor lists once more,
/// each in this order: the first members of a ring are then found without reading a hub's list to its end.
class SampleOrder {
  public:
    /// `numbers` are what the nodes are called in the whole graph, ascending, where `graph` is a part of it;
    /// empty: the graph is whole.
    explicit SampleOrder(const Graph& graph, std::span<const Index> numbers = {});

    Index nodes() const { return static_cast<Index>(places_.size()); }

    /// Where a node stands in the order, and the node that stands there.
    Index place(Index node) const { return places_[node]; }
    Index node_at(Index place) const { return nodes_[place]; }

    /// The places of the neighbors of `node`, ascending.
    std::span<const Index> neighbors(Index node) const {
        const auto begin = static_cast<std::size_t>(offsets_[node]);
        return {neighbors_.data() + begin, static_cast<std::size_t>(offsets_[node + 1]) - begin};
    }

  private:
    void list_neighbors(const Graph& graph);

    std::vector<Index> nodes_;   // by place
    std::vector<Index> places_;  // by node
    std::vector<std::int64_t> offsets_;
    std::vector<Index> neighbors_;  // as places
};

}  // namespace hwgcn
