#include "graph/rings.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {

RingSearch::RingSearch(const Graph& graph)
    : graph_(&graph), seen_in_(static_cast<std::size_t>(graph.nodes()), 0) {}

RingSearch::RingSearch(const Graph& graph, std::shared_ptr<const SampleOrder> order, std::int64_t limit)
    : RingSearch(graph) {
    if (limit < 1 || order->nodes() != graph.nodes()) {
        throw InputError(fmt::format("samples of {} members in the order of {} nodes, for a graph of {}",
                                     limit, order->nodes(), graph.nodes()));
    }
    order_ = std::move(order);
    limit_ = static_cast<std::size_t>(std::min<std::int64_t>(limit, graph.nodes()));
}

void RingSearch::begin_search() {
    has_cut_ = false;
    if (++search_ == 0) {  // the 32-bit counter came round: forget all marks once in 4 billion searches
        std::fill(seen_in_.begin(), seen_in_.end(), 0);
        search_ = 1;
    }
}

// Breadth-first: the frontier is the last ring, its unseen neighbors are the next one.
void RingSearch::expand_by_distance() {
    const std::size_t frontier_begin = bounds_[bounds_.size() - 2];
    const std::size_t frontier_end = bounds_.back();
    for (std::size_t position = frontier_begin; position < frontier_end; ++position) {
        const std::span<const Index> neighbors = graph_->neighbors(reached_[position]);
        entries_read_ += static_cast<std::int64_t>(neighbors.size());
        for (const Index neighbor : neighbors) {
            if (seen_in_[neighbor] == search_) continue;
            seen_in_[neighbor] = search_;
            reached_.push_back(neighbor);
        }
    }
    bounds_.push_back(reached_.size());
}

// Leaves the first `limit` candidates and forgets the others; the last place that is left.
Index RingSearch::cut_candidates(std::size_t limit) {
    const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(limit) - 1;
    std::ranges::nth_element(candidates_, last, {}, &Candidate::place);
    for (auto dropped = last + 1; dropped != candidates_.end(); ++dropped)
        seen_in_[dropped->place] = 0;
    candidates_.resize(limit);
    has_cut_ = true;
    return candidates_.back().place;
}

// The same with lists in the order of places. Whenever there are twice as many candidates as may stay, the
// later half is dropped, and from then on a list is read only as far as the last that stayed. So a list is
// read no further than to its 2 N-th entry that is in no ring before, and on a wide frontier seldom as far.
void RingSearch::expand_by_sample(std::size_t limit) {
    candidates_.clear();
    Index last = std::numeric_limits<Index>::max();
    for (std::size_t position = bounds_[bounds_.size() - 2]; position < bounds_.back(); ++position) {
        for (const Index place : order_->neighbors(reached_[position])) {
            ++entries_read_;
            if (place > last) break;
            if (seen_in_[place] == search_) continue;
            seen_in_[place] = search_;
            candidates_.push_back({position, place});
            if (candidates_.size() / 2 >= limit) last = cut_candidates(limit);
        }
    }
    if (candidates_.size() > limit) cut_candidates(limit);
    // As breadth-first search would have found them: from the first of the frontier, ascending.
    std::ranges::sort(candidates_, {}, [&](const Candidate& candidate) {
        return std::pair(candidate.found_from, order_->node_at(candidate.place));
    });
    for (const Candidate& candidate : candidates_)
        reached_.push_back(order_->node_at(candidate.place));
    bounds_.push_back(reached_.size());
}

void RingSearch::search_by_distance(Index node, int max_order) {
    begin_search();
    seen_in_[order_ ? order_->place(node) : node] = search_;
    reached_.assign(1, node);
    bounds_.assign({0, 1});
    for (int order = 1; order <= max_order; ++order) {
        if (!order_) {
            expand_by_distance();
        } else {  // the neighbors themselves are never cut
            expand_by_sample(order == 1 ? std::numeric_limits<std::size_t>::max() : limit_);
        }
    }
}

// The ends of all walks of length k: the neighbors (with self-loops) of the ends of the walks of length k-1.
// A node may come back in every order, so each order is a search of its own.
void RingSearch::search_by_power(Index node, int order) {
    reached_.assign(1, node);
    for (int step = 1; step <= order; ++step) {
        begin_search();
        next_.clear();
        const auto visit = [&](Index end) {
            if (seen_in_[end] == search_) return;
            seen_in_[end] = search_;
            next_.push_back(end);
        };
        for (const Index start : reached_) {
            if (graph_->has_self_loop(start)) visit(start);
            for (const Index end : graph_->neighbors(start))
                visit(end);
        }
        reached_.swap(next_);
    }
    std::erase(reached_, node);
}

std::span<const Index> RingSearch::found_ring(int order) const {
    return {reached_.data() + bounds_[order], bounds_[order + 1] - bounds_[order]};
}

std::span<const Index> RingSearch::ring(Index node, int order, Neighborhood neighborhood) {
    if (neighborhood == Neighborhood::power) {
        search_by_power(node, order);
        return reached_;
    }
    search_by_distance(node, order);
    return found_ring(order);
}

std::vector<std::span<const Index>> RingSearch::rings(Index node, int max_order) {
    search_by_distance(node, max_order);
    std::vector<std::span<const Index>> result;
    for (int order = 1; order <= max_order; ++order) {
        result.push_back(found_ring(order));
    }
    return result;
}

}  // namespace hwgcn
