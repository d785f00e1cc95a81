#include "hwgcn/graph/node_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "support/stopping.hpp"

namespace hwgcn {
namespace {

constexpr int passes = 5;
constexpr double most_above_mean = 1.1;
constexpr Index nowhere = -1;
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

/// Nodes in blocks, while they are put there.
class Placement {
  public:
    Placement(const Graph& graph, Index block_size)
        : graph_(graph),
          size_(block_size),
          capacity_(std::max<Index>(block_size, static_cast<Index>(most_above_mean * block_size))),
          block_of_(static_cast<std::size_t>(graph.nodes()), nowhere) {
        const Index blocks = (graph.nodes() + block_size - 1) / block_size;
        sizes_.resize(static_cast<std::size_t>(blocks));
        links_.resize(static_cast<std::size_t>(blocks));
    }

    /// Every node again; neighbours that have not come yet count where the pass before has put them.
    void pass(const std::vector<Index>& stream, const ExecutionControl& control) {
        std::ranges::fill(sizes_, 0);
        filling_ = 0;
        for (std::size_t k = 0; k < stream.size(); ++k) {
            if (k % nodes_between_looks == 0) throw_if_stopped(control);
            const Index node = stream[k];
            const Index block = best_block(node);
            block_of_[node] = block;
            ++sizes_[block];
        }
    }

    const std::vector<Index>& block_of() const { return block_of_; }
    Index blocks() const { return static_cast<Index>(sizes_.size()); }

  private:
    // Of equal blocks the one with most room, then the first. A node without placed neighbours goes to the
    // first block that has not its share yet.
    Index best_block(Index node) {
        touched_.clear();
        for (const Index neighbor : graph_.neighbors(node)) {
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

    const Graph& graph_;
    Index size_;
    Index capacity_;
    std::vector<Index> block_of_;
    std::vector<Index> sizes_;
    std::vector<Index> links_;    // of the node at hand, per block
    std::vector<Index> touched_;  // blocks with links
    Index filling_ = 0;
};

// Edges between blocks, as rows of a sparse matrix.
CsrMatrix<float> edges_between(const Graph& graph, const Placement& placement) {
    std::vector<Triplet<float>> links;
    const std::vector<Index>& block_of = placement.block_of();
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(placement.blocks()));
    for (Index node = 0; node < graph.nodes(); ++node)
        members[block_of[node]].push_back(node);
    std::vector<float> count(members.size());
    std::vector<Index> touched;
    for (Index block = 0; block < placement.blocks(); ++block) {
        touched.clear();
        for (const Index node : members[block]) {
            for (const Index neighbor : graph.neighbors(node)) {
                const Index other = block_of[neighbor];
                if (other == block) continue;
                if (count[other] == 0) touched.push_back(other);
                count[other] += 1;
            }
        }
        for (const Index other : touched) {
            links.push_back({block, other, count[other]});
            count[other] = 0;
        }
    }
    return csr_from_triplets(placement.blocks(), placement.blocks(), std::move(links));
}

// Next comes the block with most edges to those that have a number already.
std::vector<Index> block_numbers(const CsrMatrix<float>& links) {
    std::vector<double> attraction(static_cast<std::size_t>(links.rows), 0.0);
    std::vector<Index> number(static_cast<std::size_t>(links.rows), nowhere);
    for (Index next = 0; next < links.rows; ++next) {
        Index chosen = nowhere;
        for (Index block = 0; block < links.rows; ++block) {
            if (number[block] != nowhere) continue;
            if (chosen == nowhere || attraction[block] > attraction[chosen]) chosen = block;
        }
        number[chosen] = next;
        const SparseRow<float> row = links.row(chosen);
        for (std::size_t entry = 0; entry < row.size(); ++entry)
            attraction[row.indices[entry]] += static_cast<double>(row.values[entry]);
    }
    return number;
}

NodeBlocks bounds_of(const std::vector<Index>& block_of, Index blocks) {
    std::vector<Index> sizes(static_cast<std::size_t>(blocks), 0);
    for (const Index block : block_of)
        ++sizes[block];
    NodeBlocks result{{0}};
    for (const Index size : sizes) {
        if (size > 0) result.bounds.push_back(result.bounds.back() + size);
    }
    return result;
}

}  // namespace

NodeOrder greedy_order(const Graph& graph, Index block_size, const ExecutionControl& control) {
    const std::vector<Index> stream = breadth_first(graph);
    Placement placement(graph, block_size);
    for (int pass = 0; pass < passes; ++pass)
        placement.pass(stream, control);
    const std::vector<Index> number = block_numbers(edges_between(graph, placement));
    std::vector<Index> block_of = placement.block_of();
    for (Index& block : block_of)
        block = number[block];
    NodeOrder result{std::vector<Index>(static_cast<std::size_t>(graph.nodes())),
                     bounds_of(block_of, placement.blocks())};
    std::iota(result.order.begin(), result.order.end(), 0);
    std::ranges::stable_sort(result.order, {}, [&](Index node) { return block_of[node]; });
    return result;
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
