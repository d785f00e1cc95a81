#include "tensor/block_sums.hpp"

#include <mutex>
#include <numeric>

#include <gtest/gtest.h>

#include "tensor/products.hpp"

namespace hwgcn {
namespace {

// Numbers whose sum depends on the order in which they are added.
std::vector<float> rough_numbers(std::size_t count) {
    std::vector<float> numbers;
    for (std::size_t k = 0; k < count; ++k)
        numbers.push_back((k % 3 == 0 ? 1e6F : 1e-2F) / static_cast<float>(k + 1));
    return numbers;
}

NodeBlocks blocks_of(std::vector<Index> bounds) {
    return {std::move(bounds)};
}

// The sum of the numbers of this process's nodes up the tree.
double tree_sum(const Partition& partition, const std::vector<float>& numbers) {
    std::vector<Index> nodes;
    for (Index node = partition.first_node(); node < partition.end_node(); ++node)
        nodes.push_back(node);
    const auto add = [&](RowRange rows, std::span<double> sum) {
        for (Index i = rows.begin; i < rows.end; ++i)
            sum[0] += static_cast<double>(numbers[nodes[i]]);
    };
    return sum_over_rows({&partition, nodes}, static_cast<Index>(nodes.size()), 1, add).front();
}

TEST(BlockSums, BlocksAreAddedInHalves) {
    const std::vector<float> x = rough_numbers(7);
    const auto partition = whole_partition(blocks_of({0, 1, 2, 3, 5, 7}));
    const auto d = [&](std::size_t k) { return static_cast<double>(x[k]); };
    const double expected = ((d(0) + d(1)) + (d(2) + (d(3) + d(4)))) + (d(5) + d(6));
    EXPECT_EQ(tree_sum(*partition, x), expected);
}

TEST(BlockSums, SameBitsWithAnyProcessesAndOwners) {
    const std::vector<float> numbers = rough_numbers(1000);
    for (const Index size : {1, 7, 100, 1000}) {
        std::vector<Index> bounds{0};
        while (bounds.back() < 1000)
            bounds.push_back(std::min<Index>(1000, bounds.back() + size));
        const NodeBlocks blocks = blocks_of(bounds);
        const double alone = tree_sum(*whole_partition(blocks), numbers);
        for (const int count : {1, 2, 3, 5, 8}) {
            for (const int skew : {0, 1}) {  // evenly, or all but a few at the last process
                run_as_threads(count, [&](Peers& peers) {
                    Partition partition{blocks, {0}, &peers};
                    for (int rank = 1; rank < count; ++rank)
                        partition.owners.push_back(
                            skew == 1 ? std::min<Index>(rank / 2, blocks.count())
                                      : static_cast<Index>(std::int64_t{blocks.count()} * rank / count));
                    partition.owners.push_back(blocks.count());
                    EXPECT_EQ(tree_sum(partition, numbers), alone) << count << " " << size << " " << skew;
                });
            }
        }
    }
}

TEST(BlockSums, GradientsAreTheSameWithAnyThreads) {
    constexpr Index rows = 2000;
    DenseMatrix a(rows, 24), g(rows, 10);
    const std::vector<float> x = rough_numbers(a.numbers().size());
    std::ranges::copy(x, a.numbers().begin());
    for (Index i = 0; i < rows; ++i) {
        for (Index k = 0; k < 10; ++k)
            g.at(i, k) = x[static_cast<std::size_t>(37 * i + k) % x.size()];
    }
    std::vector<Index> nodes(rows);
    std::iota(nodes.begin(), nodes.end(), 0);
    const auto partition = whole_partition(blocks_of({0, 100, 400, 401, 1500, 2000}));
    std::vector<DenseMatrix> results;
    for (const int threads : {1, 2, 7}) {
        DenseMatrix out(24, 10);
        add_transposed_product(a, g, out, {threads}, {partition.get(), nodes});
        results.push_back(out);
    }
    EXPECT_TRUE(std::ranges::equal(results[0].numbers(), results[1].numbers()));
    EXPECT_TRUE(std::ranges::equal(results[0].numbers(), results[2].numbers()));
    EXPECT_NE(results[0].at(0, 0), 0.0F);
}

TEST(BlockSums, RowsWithoutNodesAreRefused) {
    const auto partition = whole_partition(blocks_of({0, 2, 4}));
    DenseMatrix out(1, 1);
    EXPECT_THROW(add_over_rows({partition.get(), {}}, 4, 0, out, {1}, [](RowRange, MatrixView) {}),
                 std::logic_error);
}

}  // namespace
}  // namespace hwgcn
