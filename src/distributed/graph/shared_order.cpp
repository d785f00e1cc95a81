#include "distributed/graph/shared_order.hpp"

#include <algorithm>

#include "base/stopping.hpp"
#include "distributed/graph/shared_stream.hpp"
#include "distributed/io/peer_texts.hpp"
#include "graph/block_order.hpp"
#include "graph/placement.hpp"

namespace hwgcn {
namespace {

constexpr Index places_between_looks = 1 << 14;  // at whether to stop

/// A stream of nodes, cut into a piece for each process, which has the neighbors of its nodes.
class SharedStream {
  public:
    SharedStream(OwnNeighbors own, std::span<const Index> firsts, Peers& peers,
                 const ExecutionControl& control)
        : peers_(peers), control_(control), stream_(shared_breadth_first(own, firsts, peers, control)) {
        fetch_rows(std::move(own), firsts);
    }

    // The processes take turns; each tells the others where its nodes went.
    void pass(Placement& placement) const {
        placement.begin_pass();
        for (int turn = 0; turn < peers_.size(); ++turn) {
            const Index begin = begin_of(turn);
            std::vector<Index> blocks(static_cast<std::size_t>(begin_of(turn + 1) - begin));
            const bool own_turn = turn == peers_.rank();
            do_together(peers_, [&] {
                if (own_turn) place_own(placement, blocks);
            });
            broadcast(peers_, turn, std::as_writable_bytes(std::span(blocks)));
            for (std::size_t k = 0; !own_turn && k < blocks.size(); ++k)
                placement.put(stream_[begin + k], blocks[k]);
        }
    }

    /// Of the own piece.
    BlockLinks links(const Placement& placement) const {
        const Index begin = begin_of(peers_.rank());
        return edges_between(
            rows_.nodes(), [&](Index k) { return stream_[begin + k]; }, [&](Index k) { return rows_.of(k); },
            placement.block_of(), placement.blocks());
    }

  private:
    Index begin_of(int process) const {
        return static_cast<Index>(std::ssize(stream_) * process / peers_.size());
    }

    void place_own(Placement& placement, std::vector<Index>& blocks) const {
        const Index begin = begin_of(peers_.rank());
        for (Index k = 0; k < rows_.nodes(); ++k) {
            if (k % places_between_looks == 0) throw_if_stopped(control_);
            blocks[k] = placement.best_block(rows_.of(k));
            placement.put(stream_[begin + k], blocks[k]);
        }
    }

    // All send rows in the order of the stream: who has the stream knows whose they are.
    void fetch_rows(OwnNeighbors own, std::span<const Index> firsts) {
        const Index first = firsts[peers_.rank()];
        std::vector<std::vector<Index>> sizes(static_cast<std::size_t>(peers_.size()));
        std::vector<std::vector<Index>> rows(sizes.size());
        for (int process = 0; process < peers_.size(); ++process) {
            for (Index place = begin_of(process); place < begin_of(process + 1); ++place) {
                const Index k = stream_[place] - first;
                if (k < 0 || k >= own.nodes()) continue;
                const std::span<const Index> row = own.of(k);
                sizes[process].push_back(static_cast<Index>(row.size()));
                rows[process].insert(rows[process].end(), row.begin(), row.end());
            }
        }
        own = {};
        sizes = exchange_values(peers_, sizes);
        rows = exchange_values(peers_, rows);
        std::vector<std::size_t> next_size(sizes.size(), 0);
        std::vector<std::size_t> next_entry(sizes.size(), 0);
        for (Index place = begin_of(peers_.rank()); place < begin_of(peers_.rank() + 1); ++place) {
            const auto owner = std::ranges::upper_bound(firsts, stream_[place]) - firsts.begin() - 1;
            const auto begin = rows[owner].begin() + static_cast<std::ptrdiff_t>(next_entry[owner]);
            const Index size = sizes[owner][next_size[owner]++];
            rows_.neighbors.insert(rows_.neighbors.end(), begin, begin + size);
            rows_.offsets.push_back(std::ssize(rows_.neighbors));
            next_entry[owner] += static_cast<std::size_t>(size);
        }
    }

    Peers& peers_;
    const ExecutionControl& control_;
    std::vector<Index> stream_;
    OwnNeighbors rows_;  // of the own piece
};

struct LinkOfBlock {
    Index block;
    Index other;
    std::int64_t edges;
};

void add_links(BlockLinks& links, const std::vector<LinkOfBlock>& more) {
    for (const LinkOfBlock& link : more)
        links[link.block].push_back({link.other, link.edges});
    for (std::vector<BlockLink>& row : links) {
        std::ranges::sort(row, {}, &BlockLink::other);
        std::size_t kept = 0;
        for (const BlockLink& link : row) {
            if (kept > 0 && row[kept - 1].other == link.other) {
                row[kept - 1].edges += link.edges;
            } else {
                row[kept++] = link;
            }
        }
        row.resize(kept);
    }
}

// At the first process, one after the other: there may be many blocks.
void sum_links(Peers& peers, BlockLinks& links) {
    for (int process = 1; process < peers.size(); ++process) {
        std::vector<std::vector<LinkOfBlock>> out(static_cast<std::size_t>(peers.size()));
        for (std::size_t block = 0; process == peers.rank() && block < links.size(); ++block) {
            for (const BlockLink& link : links[block])
                out[0].push_back({static_cast<Index>(block), link.other, link.edges});
        }
        const std::vector<std::vector<LinkOfBlock>> in = exchange_values(peers, out);
        if (peers.rank() == 0) add_links(links, in[process]);
    }
}

}  // namespace

NodeOrder shared_greedy_order(OwnNeighbors own, std::span<const Index> firsts, Index block_size, Peers& peers,
                              const ExecutionControl& control) {
    const SharedStream stream(std::move(own), firsts, peers, control);
    Placement placement(firsts.back(), block_size);
    for (int pass = 0; pass < Placement::passes; ++pass)
        stream.pass(placement);
    BlockLinks links = stream.links(placement);
    sum_links(peers, links);
    std::vector<Index> numbers(links.size());
    if (peers.rank() == 0) numbers = block_numbers(links);
    broadcast(peers, 0, std::as_writable_bytes(std::span(numbers)));
    return ordered_by_blocks(placement.block_of(), numbers);
}

}  // namespace hwgcn
