#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "distributed/io/peer_texts.hpp"
#include "distributed/io/spill_file.hpp"
#include "distributed/peers/peers.hpp"
#include "io/shards/shard_files.hpp"
#include "io/shards/shards.hpp"

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

/// Things on their way to the processes that have their nodes, and those that have arrived, sorted by part:
/// in memory, and beyond its limit in files.
template <typename T>
class PartMail {
  public:
    PartMail(Peers& peers, const TextParts& parts, Spill spill)
        : peers_(&peers),
          parts_(&parts),
          spill_(std::move(spill)),
          out_(static_cast<std::size_t>(peers.size())),
          arrived_(static_cast<std::size_t>(parts.own_parts()) * out_.size()) {}

    const Spill& spill() const { return spill_; }

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
                if (parts_->is_own(part)) keep(part, from, thing);
                if (other != part && parts_->is_own(other)) keep(other, from, thing);
            }
        }
        if (spill_.folder.empty()) return;
        do_together(*peers_, [&] {
            if (held_ * sizeof(T) > spill_.most_bytes) empty_memory();
        });
    }

    /// Of an own part, in the order of the files; they are gone then.
    std::vector<T> take(Index part) {
        std::vector<T> all;
        for_each_of(part, [&](const T& thing) { all.push_back(thing); });
        for (std::size_t from = 0; from < out_.size(); ++from) {
            Box& box = arrived_[place(part, from)];
            held_ -= box.recent.size();
            box.recent = {};
            box.file.reset();
        }
        return all;
    }

    /// Calls use(thing) for all that have arrived of an own part.
    template <typename Use>
    void for_each_of(Index part, const Use& use) const {
        constexpr std::size_t things_at_once = 1 << 12;
        for (std::size_t from = 0; from < out_.size(); ++from) {
            const Box& box = arrived_[place(part, from)];
            if (box.file) {
                box.file->read(things_at_once * sizeof(T), [&](std::span<const std::byte> bytes) {
                    for (const T& thing : values_of<T>(Bytes(bytes.begin(), bytes.end())))
                        use(thing);
                });
            }
            for (const T& thing : box.recent)
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
    /// What one process has sent for one part, in its order: the earlier ones in a file.
    struct Box {
        std::optional<SpillFile> file;
        std::vector<T> recent;
    };

    std::size_t place(Index part, std::size_t from) const {
        return static_cast<std::size_t>(part - parts_->firsts[parts_->rank]) * out_.size() + from;
    }

    void keep(Index part, std::size_t from, const T& thing) {
        arrived_[place(part, from)].recent.push_back(thing);
        ++held_;
    }

    void empty_memory() {
        for (std::size_t k = 0; k < arrived_.size(); ++k) {
            Box& box = arrived_[k];
            if (box.recent.empty()) continue;
            if (!box.file)
                box.file.emplace(spill_.folder / fmt::format("{}-{}-{}", spill_.name, parts_->rank, k));
            box.file->append(std::as_bytes(std::span(box.recent)));
            box.recent = {};
        }
        held_ = 0;
    }

    Peers* peers_;
    const TextParts* parts_;
    Spill spill_;
    std::vector<std::vector<T>> out_;
    std::vector<Box> arrived_;  // by own part, then by the process that sent them
    std::size_t held_ = 0;      // in memory
};

}  // namespace hwgcn
