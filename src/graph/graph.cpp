#include "hwgcn/graph/graph.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

namespace hwgcn {

// Counting sort of both directions of every edge by node, then each list is sorted and its duplicates
// collapse.
Graph::Graph(Index nodes, std::span<const Edge> edges)
    : offsets_(static_cast<std::size_t>(nodes) + 1, 0), loop_(static_cast<std::size_t>(nodes), 0) {
    for (const Edge& edge : edges) {
        for (const Index end : {edge.from, edge.to}) {
            if (end < 0 || end >= nodes) {
                throw InputError(
                    fmt::format("edge {}-{}: node {} is outside 0..{}", edge.from, edge.to, end, nodes - 1));
            }
        }
        if (edge.from == edge.to) {
            loop_[edge.from] = 1;
        } else {
            ++offsets_[edge.from + std::size_t{1}];
            ++offsets_[edge.to + std::size_t{1}];
        }
    }
    self_loops_ = std::accumulate(loop_.begin(), loop_.end(), std::int64_t{0});
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());

    neighbors_.resize(static_cast<std::size_t>(offsets_.back()));
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Edge& edge : edges) {
        if (edge.from == edge.to) continue;
        neighbors_[next[edge.from]++] = edge.to;
        neighbors_[next[edge.to]++] = edge.from;
    }
    std::int64_t written = 0;
    for (Index node = 0; node < nodes; ++node) {
        const auto begin = neighbors_.begin() + (node == 0 ? 0 : next[node - 1]);
        const auto end = neighbors_.begin() + next[node];
        std::sort(begin, end);
        const auto unique_end = std::unique(begin, end);
        offsets_[node] = written;
        std::move(begin, unique_end, neighbors_.begin() + written);
        written += unique_end - begin;
    }
    offsets_[nodes] = written;
    neighbors_.resize(static_cast<std::size_t>(written));
    neighbors_.shrink_to_fit();
}

}  // namespace hwgcn
