#include "tensor/block_sums.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/parallel_for.hpp"

namespace hwgcn {
namespace {

/// Sums of vectors up the tree of blocks. A vertex of level l that begins at block `first` stands for 2^l
/// blocks, as far as there are so many; its sum is at the process that has the first of them.
template <typename T>
class BlockTree {
  public:
    using Leaf = std::function<void(Index block, std::span<T> target)>;

    BlockTree(const Partition& partition, std::size_t numbers, const ExecutionControl& control, Leaf leaf)
        : partition_(partition),
          count_(partition.blocks.count()),
          numbers_(numbers),
          control_(control),
          leaf_(std::move(leaf)) {}

    /// The sum over all blocks, at every process.
    std::vector<T> sum() const {
        const int height = std::bit_width(static_cast<std::uint32_t>(std::max<Index>(count_, 1)) - 1);
        std::vector<T> result = sum_of(0, height);
        if (!partition_.is_shared()) return result;
        result.resize(numbers_);
        broadcast(*partition_.peers, partition_.owner_of_block(0), std::as_writable_bytes(std::span(result)));
        return result;
    }

  private:
    // The result is where the first block is, and empty elsewhere.
    std::vector<T> sum_of(Index first, int level) const {
        const Index end = end_of(first, level);
        const Index own_first = partition_.first_block();
        const Index own_end = partition_.end_block();
        if (own_end <= first || own_first >= end) return {};
        if (own_first <= first && end <= own_end) return own_sum(first, level);
        const Index middle = end_of(first, level - 1);
        std::vector<T> left = sum_of(first, level - 1);
        if (middle >= count_) return left;
        std::vector<T> right = sum_of(middle, level - 1);
        const int here = partition_.owner_of_block(first);
        const int there = partition_.owner_of_block(middle);
        if (here != there && partition_.rank() == there)
            partition_.peers->transfer(here, std::as_bytes(std::span(right)), Peers::nobody, {});
        if (partition_.rank() != here) return {};
        if (here != there) {
            right.resize(numbers_);
            partition_.peers->transfer(Peers::nobody, {}, there, std::as_writable_bytes(std::span(right)));
        }
        add(right, left);
        return left;
    }

    // A vertex with nothing but blocks of this process: up to eight vertices below it at the same time.
    std::vector<T> own_sum(Index first, int level) const {
        constexpr int levels = 3;
        const int below = std::max(0, level - levels);
        std::vector<std::vector<T>> parts;
        for (Index block = first; block < end_of(first, level); block += Index{1} << below)
            parts.emplace_back(numbers_, T{0});
        parallel_for(static_cast<std::int64_t>(parts.size()), 1, control_, [&](int, std::int64_t part) {
            sum_into(parts[part], first + static_cast<Index>(part << below), below);
        });
        for (std::size_t distance = 1; distance < parts.size(); distance *= 2) {
            for (std::size_t left = 0; left + distance < parts.size(); left += 2 * distance)
                add(parts[left + distance], parts[left]);
        }
        return std::move(parts.front());
    }

    // `target` is zero before.
    void sum_into(std::span<T> target, Index first, int level) const {
        if (level == 0) return leaf_(first, target);
        sum_into(target, first, level - 1);
        const Index middle = end_of(first, level - 1);
        if (middle >= count_) return;
        std::vector<T> right(numbers_, T{0});
        sum_into(right, middle, level - 1);
        add(right, target);
    }

    Index end_of(Index first, int level) const {
        return static_cast<Index>(std::min<std::int64_t>(count_, first + (std::int64_t{1} << level)));
    }

    static void add(std::span<const T> more, std::span<T> sum) {
        for (std::size_t k = 0; k < sum.size(); ++k)
            sum[k] += more[k];
    }

    const Partition& partition_;
    Index count_;
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
    const std::vector<Index>& bounds = rows.partition->blocks.bounds;
    return {place(bounds[block]), place(bounds[block + std::size_t{1}])};
}

void expect_nodes(const SummedRows& rows, Index count) {
    if (rows.nodes.size() != static_cast<std::size_t>(count))
        throw std::logic_error("a sum over blocks needs the nodes of its rows");
}

}  // namespace

void add_over_rows(const SummedRows& rows, Index count, std::int64_t work, MatrixView out,
                   const ExecutionControl& control, const std::function<void(RowRange, MatrixView)>& add) {
    if (rows.partition == nullptr) return add_in_pieces(count, work, out, control, add);
    expect_nodes(rows, count);
    const auto leaf = [&](Index block, std::span<float> target) {
        const RowRange range = rows_of_block(rows, block);
        if (range.begin < range.end) add(range, {target.data(), out.rows, out.columns});
    };
    const ExecutionControl threads = work < worth_sharing ? one_thread : without_progress(control);
    const std::vector<float> sum = BlockTree<float>(*rows.partition, out.size(), threads, leaf).sum();
    for (std::size_t k = 0; k < sum.size(); ++k)
        out.data[k] += sum[k];
}

std::vector<double> sum_over_rows(const SummedRows& rows, Index count, std::size_t numbers,
                                  const std::function<void(RowRange, std::span<double>)>& add) {
    if (rows.partition == nullptr) {
        std::vector<double> sum(numbers, 0.0);
        add({0, count}, sum);
        return sum;
    }
    expect_nodes(rows, count);
    const auto leaf = [&](Index block, std::span<double> target) {
        const RowRange range = rows_of_block(rows, block);
        if (range.begin < range.end) add(range, target);
    };
    return BlockTree<double>(*rows.partition, numbers, one_thread, leaf).sum();
}

std::int64_t count_rows(const SummedRows& rows, Index count) {
    if (rows.partition == nullptr || !rows.partition->is_shared()) return count;
    return total(*rows.partition->peers, count);
}

}  // namespace hwgcn
