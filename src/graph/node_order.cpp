#include "graph/node_order.hpp"

#include "base/stopping.hpp"
#include "graph/block_order.hpp"
#include "graph/placement.hpp"

namespace hwgcn {
namespace {

constexpr Index nodes_between_looks = 1 << 14;  // at whether to stop

std::vector<Index> breadth_first(const Graph& graph) {
    std::vector<Index> queue;
    queue.reserve(static_cast<std::size_t>(graph.nodes()));
    std::vector<char> seen(static_cast<std::size_t>(graph.nodes()), 0);
    std::size_t next = 0;
    for (Index root = 0; root < graph.nodes(); ++root) {
        if (seen[root] != 0) continue;
        seen[root] = 1;
        queue.push_back(root);
        for (; next < queue.size(); ++next) {
            for (const Index neighbor : graph.neighbors(queue[next])) {
                if (seen[neighbor] != 0) continue;
                seen[neighbor] = 1;
                queue.push_back(neighbor);
            }
        }
    }
    return queue;
}

void place_all(const Graph& graph, const std::vector<Index>& stream, Placement& placement,
               const ExecutionControl& control) {
    placement.begin_pass();
    for (std::size_t k = 0; k < stream.size(); ++k) {
        if (k % nodes_between_looks == 0) throw_if_stopped(control);
        placement.put(stream[k], placement.best_block(graph.neighbors(stream[k])));
    }
}

}  // namespace

NodeOrder greedy_order(const Graph& graph, Index block_size, const ExecutionControl& control) {
    const std::vector<Index> stream = breadth_first(graph);
    Placement placement(graph.nodes(), block_size);
    for (int pass = 0; pass < Placement::passes; ++pass)
        place_all(graph, stream, placement, control);
    const std::vector<Index>& block_of = placement.block_of();
    return ordered_by_blocks(block_of, block_numbers(edges_between(graph, block_of, placement.blocks())));
}

double share_within_blocks(const Graph& graph, const NodeBlocks& blocks) {
    std::int64_t within = 0;
    std::int64_t all = 0;
    for (Index block = 0; block < blocks.count(); ++block) {
        for (Index node = blocks.bounds[block]; node < blocks.bounds[block + 1]; ++node) {
            for (const Index neighbor : graph.neighbors(node))
                within += neighbor >= blocks.bounds[block] && neighbor < blocks.bounds[block + 1] ? 1 : 0;
            all += static_cast<std::int64_t>(graph.neighbors(node).size());
        }
    }
    return all == 0 ? 1.0 : static_cast<double>(within) / static_cast<double>(all);
}

}  // namespace hwgcn
