#include "operators/random_walks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace hwgcn {

RandomWalker::RandomWalker(const CsrMatrix<float>& weights) : weights_(&weights), strength_(weights.rows) {
    cumulative_.reserve(weights.values.size());
    for (Index i = 0; i < weights.rows; ++i) {
        for (const float value : weights.row(i).values) {
            strength_[i] += static_cast<double>(value);
            cumulative_.push_back(strength_[i]);
        }
    }
    const bool all_the_same = std::adjacent_find(weights.values.begin(), weights.values.end(),
                                                 std::not_equal_to<>()) == weights.values.end();
    if (all_the_same) cumulative_ = {};
}

std::vector<Index> RandomWalker::starts() const {
    std::vector<Index> nodes;
    for (Index i = 0; i < weights_->rows; ++i) {
        if (strength_[i] > 0.0) nodes.push_back(i);
    }
    return nodes;
}

void RandomWalker::walk(Index start, RandomStream& random, std::span<Index> nodes) const {
    Index node = start;
    for (Index& place : nodes) {
        place = node;
        if (&place != &nodes.back()) node = next(node, random);
    }
}

Index RandomWalker::next(Index node, RandomStream& random) const {
    const std::span<const Index> neighbors = weights_->row(node).indices;
    if (cumulative_.empty()) return neighbors[random.below(neighbors.size())];
    const auto begin = cumulative_.begin() + weights_->offsets[node];
    const auto end = cumulative_.begin() + weights_->offsets[node + 1];
    // Below the sum of the row, even where the product is rounded up to it.
    const double sum = *(end - 1);
    const double place = std::min(random.uniform() * sum, std::nextafter(sum, 0.0));
    return neighbors[static_cast<std::size_t>(std::upper_bound(begin, end, place) - begin)];
}

}  // namespace hwgcn
