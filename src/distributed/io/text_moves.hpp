#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "distributed/graph/own_neighbors.hpp"
#include "distributed/io/text_parts.hpp"

namespace hwgcn {

/// The neighbors of the nodes of own parts.
OwnNeighbors own_neighbors(const PartMail<TextEdge>& edges, const TextParts& parts, bool zeros_left_out);

/// The first node of each process, and the number of all.
std::vector<Index> first_nodes(const TextParts& parts);

/// Nodes on their way from the parts in the order of the data to those in another order. All processes call
/// the functions together.
struct NodeMoves {
    Peers& peers;
    const TextParts& from;
    const TextParts& to;
    std::vector<Index> place;  ///< the new number of every node

    /// Things are given up part by part. `renumber(part, thing)` says whether a thing goes from there, and
    /// gives it its new numbers; `nodes_of(thing)` are the one or two nodes that it is about.
    template <typename T, typename Renumber, typename Nodes>
    PartMail<T> moved(PartMail<T>& things, const Renumber& renumber, const Nodes& nodes_of) const {
        Spill spill = things.spill();
        spill.name += "-moved";
        PartMail<T> result(peers, to, std::move(spill));
        const auto rounds = static_cast<Index>(maximum(peers, static_cast<double>(from.own_parts())));
        for (Index round = 0; round < rounds; ++round) {
            const Index part = from.firsts[from.rank] + round;
            std::vector<T> some;
            if (round < from.own_parts()) some = things.take(part);
            for (T& thing : some) {
                if (!renumber(part, thing)) continue;
                const std::pair<Index, Index> nodes = nodes_of(thing);
                const int one = to.owner_of(nodes.first);
                const int other = to.owner_of(nodes.second);
                result.put(one, thing);
                if (other != one) result.put(other, thing);
            }
            result.deliver(nodes_of);
        }
        return result;
    }

    PartMail<TextEdge> moved_edges(PartMail<TextEdge>& edges) const;
    PartMail<Triplet<float>> moved_entries(PartMail<Triplet<float>>& entries) const;

    /// Ids, as `for_each_text` has them, and labels of the nodes of own parts.
    void move_lists(std::string& ids, std::vector<Index>& labels) const;
};

}  // namespace hwgcn
