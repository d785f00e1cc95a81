#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "hwgcn/distributed/peers.hpp"
#include "hwgcn/io/shards.hpp"

#include "io/shards/shard_files.hpp"

namespace hwgcn {

/// Which process has which parts: each a run of them, in the order of the ranks.
struct TextParts {
    NodeBlocks blocks;
    std::vector<Index> bounds;  ///< part p has the nodes bounds[p] .. bounds[p + 1] - 1
    std::vector<Index> firsts;  ///< process r has the parts firsts[r] .. firsts[r + 1] - 1
    std::vector<int> owners;    ///< of each part
    int rank = 0;

    TextParts(NodeBlocks all, const Peers& peers) : blocks(std::move(all)), rank(peers.rank()) {
        for (const Index block : shard_part_bounds(blocks.count()))
            bounds.push_back(blocks.bounds[block]);
        for (std::int64_t process = 0; process <= peers.size(); ++process)
            firsts.push_back(static_cast<Index>(process * count() / peers.size()));
        for (int process = 0; process < peers.size(); ++process)
            owners.resize(static_cast<std::size_t>(firsts[process + 1]), process);
    }

    Index count() const { return static_cast<Index>(bounds.size()) - 1; }
    Index part_of(Index node) const { return place_in(bounds, node); }
    Index block_of(Index node) const { return place_in(blocks.bounds, node); }
    int owner_of(Index node) const { return owners[part_of(node)]; }
    Index own_parts() const { return firsts[rank + 1] - firsts[rank]; }
    bool is_own(Index part) const { return owners[part] == rank; }

  private:
    static Index place_in(const std::vector<Index>& starts, Index node) {
        return static_cast<Index>(std::ranges::upper_bound(starts, node) - starts.begin()) - 1;
    }
};

/// An edge on its way, and the nodes that it is about.
struct TextEdge {
    Index from;
    Index to;
    float weight;
};
inline std::pair<Index, Index> ends_of(const TextEdge& edge) {
    return {edge.from, edge.to};
}
inline std::pair<Index, Index> node_of_entry(const Triplet<float>& entry) {
    return {entry.row, entry.row};
}

/// Things on their way to the processes that have their nodes, and those that have arrived, by part.
template <typename T>
class PartMail {
  public:
    PartMail(Peers& peers, const TextParts& parts)
        : peers_(&peers),
          parts_(&parts),
          out_(static_cast<std::size_t>(peers.size())),
          arrived_(static_cast<std::size_t>(parts.own_parts()), std::vector<std::vector<T>>(out_.size())) {}

    void put(int process, const T& thing) { out_[process].push_back(thing); }

    /// All processes together. `nodes_of(thing)` are the one or two nodes that it is about.
    template <typename Nodes>
    void deliver(const Nodes& nodes_of) {
        const std::vector<std::vector<T>> in = exchange_values(*peers_, out_);
        for (std::size_t from = 0; from < in.size(); ++from) {
            out_[from].clear();
            for (const T& thing : in[from]) {
                const std::pair<Index, Index> nodes = nodes_of(thing);
                const Index part = parts_->part_of(nodes.first);
                const Index other = parts_->part_of(nodes.second);
                if (parts_->is_own(part)) box(part, from).push_back(thing);
                if (other != part && parts_->is_own(other)) box(other, from).push_back(thing);
            }
        }
    }

    /// Of an own part, in the order of the files; they are gone then.
    std::vector<T> take(Index part) {
        std::vector<T> all;
        for (std::size_t from = 0; from < out_.size(); ++from) {
            std::vector<T> some = std::exchange(box(part, from), {});
            if (all.empty()) {
                all = std::move(some);
            } else {
                all.insert(all.end(), some.begin(), some.end());
            }
        }
        return all;
    }

    /// Calls use(thing) for all that have arrived of an own part.
    template <typename Use>
    void for_each_of(Index part, const Use& use) const {
        for (const std::vector<T>& some : arrived_[part - parts_->firsts[parts_->rank]]) {
            for (const T& thing : some)
                use(thing);
        }
    }

    /// Calls use(part, thing) for all that have arrived.
    template <typename Use>
    void for_each(const Use& use) const {
        for (Index part = parts_->firsts[parts_->rank]; part < parts_->firsts[parts_->rank + 1]; ++part)
            for_each_of(part, [&](const T& thing) { use(part, thing); });
    }

  private:
    std::vector<T>& box(Index part, std::size_t from) {
        return arrived_[static_cast<std::size_t>(part - parts_->firsts[parts_->rank])][from];
    }

    Peers* peers_;
    const TextParts* parts_;
    std::vector<std::vector<T>> out_;
    std::vector<std::vector<std::vector<T>>> arrived_;  // by own part, then by the process that sent them
};

}  // namespace hwgcn
