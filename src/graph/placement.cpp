#include "graph/placement.hpp"

#include <algorithm>
#include <tuple>

namespace hwgcn {
namespace {

constexpr double most_above_mean = 1.1;
constexpr Index nowhere = -1;

}  // namespace

Placement::Placement(Index nodes, Index block_size)
    : size_(block_size),
      capacity_(std::max<Index>(block_size, static_cast<Index>(most_above_mean * block_size))),
      block_of_(static_cast<std::size_t>(nodes), nowhere) {
    const auto blocks = static_cast<std::size_t>((std::int64_t{nodes} + block_size - 1) / block_size);
    sizes_.resize(blocks);
    links_.resize(blocks);
}

void Placement::begin_pass() {
    std::ranges::fill(sizes_, 0);
    filling_ = 0;
}

// Of equal blocks the one with most room, then the first. A node without placed neighbors goes to the first
// block that has not its share yet.
Index Placement::best_block(std::span<const Index> neighbors) {
    touched_.clear();
    for (const Index neighbor : neighbors) {
        const Index block = block_of_[neighbor];
        if (block == nowhere) continue;
        if (links_[block]++ == 0) touched_.push_back(block);
    }
    Index best = nowhere;
    double best_score = 0;
    for (const Index block : touched_) {
        const Index room = capacity_ - sizes_[block];
        const double score = static_cast<double>(links_[block]) * room;
        links_[block] = 0;
        if (room <= 0) continue;
        const bool better =
            best == nowhere || score > best_score ||
            (score == best_score && std::tie(sizes_[block], block) < std::tie(sizes_[best], best));
        if (better) std::tie(best, best_score) = std::tuple(block, score);
    }
    if (best != nowhere) return best;
    while (sizes_[filling_] >= size_)
        ++filling_;
    return filling_;
}

}  // namespace hwgcn
