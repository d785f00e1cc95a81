#include "distributed/graph/shared_stream.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/stopping.hpp"
#include "distributed/io/peer_texts.hpp"

namespace hwgcn {
namespace {

/// Nodes that are connected, as a forest in which no parent is higher than its child.
class Components {
  public:
    explicit Components(Index nodes) : parent_(static_cast<std::size_t>(nodes)) {
        std::iota(parent_.begin(), parent_.end(), 0);
    }

    void join(Index a, Index b) {
        a = root_of(a);
        b = root_of(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

    void join(const std::vector<Index>& parents) {
        for (std::size_t node = 0; node < parents.size(); ++node)
            join(static_cast<Index>(node), parents[node]);
    }

    /// Of every node the lowest one that it is connected with.
    std::vector<Index>& roots() {
        for (Index& parent : parent_)
            parent = parent_[parent];
        return parent_;
    }

  private:
    Index root_of(Index node) {
        while (parent_[node] != node) {
            parent_[node] = parent_[parent_[node]];
            node = parent_[node];
        }
        return node;
    }

    std::vector<Index> parent_;
};

// Each process joins what its own edges connect; the forests are joined in pairs, up to the first process.
std::vector<Index> roots_of_components(const OwnNeighbors& own, std::span<const Index> firsts, Peers& peers) {
    const int rank = peers.rank();
    Components components(firsts.back());
    for (Index k = 0; k < own.nodes(); ++k) {
        for (const Index neighbor : own.of(k)) {
            if (neighbor < firsts[rank] + k || neighbor >= firsts[rank + std::size_t{1}])
                components.join(firsts[rank] + k, neighbor);
        }
    }
    for (int distance = 1; distance < peers.size(); distance *= 2) {
        if (rank % (2 * distance) == distance) {
            peers.transfer(rank - distance, std::as_bytes(std::span(components.roots())), Peers::nobody, {});
            break;
        }
        if (rank % (2 * distance) != 0 || rank + distance >= peers.size()) continue;
        std::vector<Index> other(static_cast<std::size_t>(firsts.back()));
        peers.transfer(Peers::nobody, {}, rank + distance, std::as_writable_bytes(std::span(other)));
        components.join(other);
    }
    std::vector<Index> roots = std::move(components.roots());
    broadcast(peers, 0, std::as_writable_bytes(std::span(roots)));
    return roots;
}

/// A node of the next level, and the place of the first node in the queue that has it as a neighbor.
struct FoundNode {
    Index parent;
    Index node;
};

/// Breadth-first search from all roots at once. Everybody has the whole queue.
class LevelSearch {
  public:
    LevelSearch(const OwnNeighbors& own, std::span<const Index> firsts, Peers& peers)
        : own_(own),
          first_(firsts[peers.rank()]),
          firsts_(firsts),
          peers_(peers),
          seen_(static_cast<std::size_t>(firsts.back()), 0) {}

    /// By levels, over all components; within a level by root, then as a queue finds them.
    std::vector<Index> run(const std::vector<Index>& roots, const ExecutionControl& control) {
        queue_.reserve(roots.size());
        for (std::size_t node = 0; node < roots.size(); ++node) {
            if (roots[node] == static_cast<Index>(node)) add(static_cast<Index>(node));
        }
        for (std::size_t begin = 0; begin < queue_.size();) {
            if (any(peers_, is_stopped(control))) throw Interrupted();
            const std::size_t end = queue_.size();
            add_level(begin, end);
            begin = end;
        }
        return std::move(queue_);
    }

  private:
    void add(Index node) {
        seen_[node] = 1;
        queue_.push_back(node);
    }

    void add_level(std::size_t begin, std::size_t end) {
        std::vector<FoundNode> level;
        for (const std::vector<FoundNode>& some : share_values(peers_, found_first(found_by_own(begin, end))))
            level.insert(level.end(), some.begin(), some.end());
        std::ranges::sort(level, {},
                          [](const FoundNode& found) { return std::tie(found.parent, found.node); });
        for (const FoundNode& found : level)
            add(found.node);
    }

    // What own nodes of the last level find, each once, by the process that has it.
    std::vector<std::vector<FoundNode>> found_by_own(std::size_t begin, std::size_t end) {
        std::vector<std::vector<FoundNode>> found(static_cast<std::size_t>(peers_.size()));
        for (std::size_t place = begin; place < end; ++place) {
            const Index k = queue_[place] - first_;
            if (k < 0 || k >= own_.nodes()) continue;
            for (const Index neighbor : own_.of(k)) {
                if (seen_[neighbor] != 0) continue;
                seen_[neighbor] = 1;
                found[owner_of(neighbor)].push_back({static_cast<Index>(place), neighbor});
            }
        }
        return found;
    }

    // Of own nodes that several processes have found.
    std::vector<FoundNode> found_first(const std::vector<std::vector<FoundNode>>& found) {
        std::vector<FoundNode> all;
        for (const std::vector<FoundNode>& some : exchange_values(peers_, found))
            all.insert(all.end(), some.begin(), some.end());
        std::ranges::sort(all, {}, [](const FoundNode& one) { return std::tie(one.node, one.parent); });
        const auto same = [](const FoundNode& one, const FoundNode& other) { return one.node == other.node; };
        all.erase(std::unique(all.begin(), all.end(), same), all.end());
        return all;
    }

    int owner_of(Index node) const {
        return static_cast<int>(std::ranges::upper_bound(firsts_, node) - firsts_.begin()) - 1;
    }

    const OwnNeighbors& own_;
    Index first_;
    std::span<const Index> firsts_;
    Peers& peers_;
    std::vector<char> seen_;
    std::vector<Index> queue_;
};

}  // namespace

std::vector<Index> shared_breadth_first(const OwnNeighbors& own, std::span<const Index> firsts, Peers& peers,
                                        const ExecutionControl& control) {
    const std::vector<Index> roots = roots_of_components(own, firsts, peers);
    const std::vector<Index> queue = LevelSearch(own, firsts, peers).run(roots, control);
    // A queue finishes a component before it begins the next one.
    std::vector<Index> next(roots.size() + 1, 0);
    for (const Index root : roots)
        ++next[root + std::size_t{1}];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Index> stream(roots.size());
    for (const Index node : queue)
        stream[next[roots[node]]++] = node;
    return stream;
}

}  // namespace hwgcn
