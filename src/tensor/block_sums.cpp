#include "tensor/block_sums.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/parallel_for.hpp"
#include "tensor/blocks/block_tree.hpp"
#include "tensor/blocks/row_exchange.hpp"

namespace hwgcn {
namespace {

/// Sums of vectors up the tree of blocks, of those blocks that are here.
template <typename T>
class BlockSummer {
  public:
    using Leaf = std::function<void(Index block, std::span<T> target)>;

    BlockSummer(const RowLayout& layout, std::size_t numbers, const ExecutionControl& control, Leaf leaf)
        : layout_(layout),
          tree_(layout.blocks.count()),
          numbers_(numbers),
          control_(control),
          leaf_(std::move(leaf)) {}

    /// The sum over all blocks.
    std::vector<T> sum() const {
        if (layout_.exchange == nullptr) return sum_of(tree_.root());
        return layout_.exchange->sum(numbers_, [this](BlockVertex vertex) { return sum_of(vertex); });
    }

  private:
    // Up to eight vertices below this one at the same time.
    std::vector<T> sum_of(BlockVertex vertex) const {
        constexpr int levels = 3;
        const int below = std::max(0, vertex.level - levels);
        std::vector<std::vector<T>> parts;
        for (Index block = vertex.first; block < tree_.end_of(vertex); block += Index{1} << below)
            parts.emplace_back(numbers_, T{0});
        parallel_for(static_cast<std::int64_t>(parts.size()), 1, control_, [&](int, std::int64_t part) {
            sum_into(parts[part], {vertex.first + static_cast<Index>(part << below), below});
        });
        for (std::size_t distance = 1; distance < parts.size(); distance *= 2) {
            for (std::size_t left = 0; left + distance < parts.size(); left += 2 * distance)
                add_to<T>(parts[left], parts[left + distance]);
        }
        return std::move(parts.front());
    }

    // `target` is zero before.
    void sum_into(std::span<T> target, BlockVertex vertex) const {
        if (vertex.level == 0) return leaf_(vertex.first, target);
        sum_into(target, BlockTree::left_of(vertex));
        if (!tree_.has_right(vertex)) return;
        std::vector<T> right(numbers_, T{0});
        sum_into(right, tree_.right_of(vertex));
        add_to<T>(target, right);
    }

    const RowLayout& layout_;
    BlockTree tree_;
    std::size_t numbers_;
    ExecutionControl control_;
    Leaf leaf_;
};

// The rows of a block, the nodes of the rows ascending.
RowRange rows_of_block(const SummedRows& rows, Index block) {
    const auto place = [&](Index node) {
        return static_cast<Index>(std::lower_bound(rows.nodes.begin(), rows.nodes.end(), node) -
                                  rows.nodes.begin());
    };
    const std::vector<Index>& bounds = rows.layout->blocks.bounds;
    return {place(bounds[block]), place(bounds[block + std::size_t{1}])};
}

void expect_nodes(const SummedRows& rows, Index count) {
    if (rows.nodes.size() != static_cast<std::size_t>(count))
        throw std::logic_error("a sum over blocks needs the nodes of its rows");
}

}  // namespace

void add_over_rows(const SummedRows& rows, Index count, std::int64_t work, MatrixView out,
                   const ExecutionControl& control, const std::function<void(RowRange, MatrixView)>& add) {
    if (rows.layout == nullptr) return add_in_pieces(count, work, out, control, add);
    expect_nodes(rows, count);
    const auto leaf = [&](Index block, std::span<float> target) {
        const RowRange range = rows_of_block(rows, block);
        if (range.begin < range.end) add(range, {target.data(), out.rows, out.columns});
    };
    const ExecutionControl threads = work < worth_sharing ? one_thread : without_progress(control);
    const std::vector<float> sum = BlockSummer<float>(*rows.layout, out.size(), threads, leaf).sum();
    for (std::size_t k = 0; k < sum.size(); ++k)
        out.data[k] += sum[k];
}

std::vector<double> sum_over_rows(const SummedRows& rows, Index count, std::size_t numbers,
                                  const std::function<void(RowRange, std::span<double>)>& add) {
    if (rows.layout == nullptr) {
        std::vector<double> sum(numbers, 0.0);
        add({0, count}, sum);
        return sum;
    }
    expect_nodes(rows, count);
    const auto leaf = [&](Index block, std::span<double> target) {
        const RowRange range = rows_of_block(rows, block);
        if (range.begin < range.end) add(range, target);
    };
    return BlockSummer<double>(*rows.layout, numbers, one_thread, leaf).sum();
}

std::int64_t count_rows(const SummedRows& rows, Index count) {
    RowExchange* const exchange = exchange_of(rows.layout);
    return exchange == nullptr ? count : exchange->total(count);
}

}  // namespace hwgcn
