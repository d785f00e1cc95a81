#include "methods/embedding/huffman_tree.hpp"

#include <algorithm>
#include <limits>

namespace hwgcn {

HuffmanTree::HuffmanTree(std::span<const double> weights) : leaves_(weights.size(), {-1, 0.0F}) {
    std::vector<Index> order;
    for (std::size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] > 0.0) order.push_back(static_cast<Index>(k));
    }
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return weights[a] < weights[b]; });
    if (order.size() < 2) return;
    inner_nodes_ = static_cast<Index>(order.size()) - 1;
    inner_.resize(order.size() - 1, {-1, 0.0F});

    // Inner nodes come into being with ascending weights, so the lightest node without a parent is the next
    // leaf or the next inner node.
    std::vector<double> inner_weights(inner_.size(), std::numeric_limits<double>::infinity());
    std::size_t next_leaf = 0;
    std::size_t next_inner = 0;
    const auto give_lightest = [&](Index parent, float label) {
        if (next_leaf < order.size() && weights[order[next_leaf]] <= inner_weights[next_inner]) {
            const Index leaf = order[next_leaf++];
            leaves_[leaf] = {parent, label};
            return weights[leaf];
        }
        inner_[next_inner] = {parent, label};
        return inner_weights[next_inner++];
    };
    for (Index parent = 0; parent < inner_nodes_; ++parent) {
        const double first = give_lightest(parent, 1.0F);
        const double second = give_lightest(parent, 0.0F);
        inner_weights[parent] = first + second;
    }
}

}  // namespace hwgcn
