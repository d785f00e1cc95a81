#include "graph/block_order.hpp"

#include <numeric>

namespace hwgcn {

BlockLinks edges_between(const Graph& graph, const std::vector<Index>& block_of, Index blocks) {
    return edges_between(
        graph.nodes(), [](Index k) { return k; }, [&](Index k) { return graph.neighbors(k); }, block_of,
        blocks);
}

std::vector<Index> block_numbers(const BlockLinks& links) {
    constexpr Index none = -1;
    const auto blocks = static_cast<Index>(links.size());
    std::vector<std::int64_t> attraction(links.size(), 0);
    std::vector<Index> number(links.size(), none);
    for (Index next = 0; next < blocks; ++next) {
        Index chosen = none;
        for (Index block = 0; block < blocks; ++block) {
            if (number[block] != none) continue;
            if (chosen == none || attraction[block] > attraction[chosen]) chosen = block;
        }
        number[chosen] = next;
        for (const BlockLink& link : links[chosen])
            attraction[link.other] += link.edges;
    }
    return number;
}

NodeOrder ordered_by_blocks(const std::vector<Index>& block_of, const std::vector<Index>& numbers) {
    std::vector<Index> starts(numbers.size() + 1, 0);
    for (const Index block : block_of)
        ++starts[numbers[block] + std::size_t{1}];
    NodeOrder result{std::vector<Index>(block_of.size()), {{0}}};
    for (std::size_t block = 0; block < numbers.size(); ++block) {
        if (starts[block + 1] == 0) continue;
        result.blocks.bounds.push_back(result.blocks.bounds.back() + starts[block + 1]);
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::size_t node = 0; node < block_of.size(); ++node)
        result.order[starts[numbers[block_of[node]]]++] = static_cast<Index>(node);
    return result;
}

}  // namespace hwgcn
