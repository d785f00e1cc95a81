#pragma once

#include <vector>

#include "tensor/block_sums.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn::testing {

// Numbers whose sum depends on the order in which they are added.
inline std::vector<float> rough_numbers(std::size_t count) {
    std::vector<float> numbers;
    for (std::size_t k = 0; k < count; ++k)
        numbers.push_back((k % 3 == 0 ? 1e6F : 1e-2F) / static_cast<float>(k + 1));
    return numbers;
}

inline NodeBlocks blocks_of(std::vector<Index> bounds) {
    return {std::move(bounds)};
}

// The sum of the numbers of the nodes that are here up the tree.
inline double tree_sum(const RowLayout& layout, const std::vector<float>& numbers) {
    std::vector<Index> nodes;
    for (Index node = layout.first_node(); node < layout.end_node(); ++node)
        nodes.push_back(node);
    const auto add = [&](RowRange rows, std::span<double> sum) {
        for (Index i = rows.begin; i < rows.end; ++i)
            sum[0] += static_cast<double>(numbers[nodes[i]]);
    };
    return sum_over_rows({&layout, nodes}, static_cast<Index>(nodes.size()), 1, add).front();
}

}  // namespace hwgcn::testing
