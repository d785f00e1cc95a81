#include "hwgcn/graph/rings.hpp"

#include <algorithm>

namespace hwgcn {

RingSearch::RingSearch(const Graph& graph)
    : graph_(&graph), seen_in_(static_cast<std::size_t>(graph.nodes()), 0) {}

void RingSearch::begin_search() {
    if (++search_ == 0) {  // the 32-bit counter came round: forget all marks once in 4 billion searches
        std::fill(seen_in_.begin(), seen_in_.end(), 0);
        search_ = 1;
    }
}

// Breadth-first: the frontier is the last ring, its unseen neighbours are the next one.
void RingSearch::expand_by_distance() {
    const std::size_t frontier_begin = bounds_[bounds_.size() - 2];
    const std::size_t frontier_end = bounds_.back();
    for (std::size_t position = frontier_begin; position < frontier_end; ++position) {
        for (const Index neighbor : graph_->neighbors(reached_[position])) {
            if (seen_in_[neighbor] == search_) continue;
            seen_in_[neighbor] = search_;
            reached_.push_back(neighbor);
        }
    }
    bounds_.push_back(reached_.size());
}

void RingSearch::search_by_distance(Index node, int max_order) {
    begin_search();
    seen_in_[node] = search_;
    reached_.assign(1, node);
    bounds_.assign({0, 1});
    for (int order = 1; order <= max_order; ++order)
        expand_by_distance();
}

// The ends of all walks of length k: the neighbours (with self-loops) of the ends of the walks of length k-1.
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
