#include "tensor/block_sums.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "tensor/blocks/node_blocks.hpp"
#include "tensor/products.hpp"
#include "tensor/rough_sums.hpp"

namespace hwgcn {
namespace {

using testing::blocks_of;
using testing::rough_numbers;
using testing::tree_sum;

TEST(BlockSums, BlocksAreAddedInHalves) {
    const std::vector<float> x = rough_numbers(7);
    const auto layout = whole_layout(blocks_of({0, 1, 2, 3, 5, 7}));
    const auto d = [&](std::size_t k) { return static_cast<double>(x[k]); };
    const double expected = ((d(0) + d(1)) + (d(2) + (d(3) + d(4)))) + (d(5) + d(6));
    EXPECT_EQ(tree_sum(*layout, x), expected);
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
    const auto layout = whole_layout(blocks_of({0, 100, 400, 401, 1500, 2000}));
    std::vector<DenseMatrix> results;
    for (const int threads : {1, 2, 7}) {
        DenseMatrix out(24, 10);
        add_transposed_product(a, g, out, {threads}, {layout.get(), nodes});
        results.push_back(out);
    }
    EXPECT_TRUE(std::ranges::equal(results[0].numbers(), results[1].numbers()));
    EXPECT_TRUE(std::ranges::equal(results[0].numbers(), results[2].numbers()));
    EXPECT_NE(results[0].at(0, 0), 0.0F);
}

TEST(BlockSums, RowsWithoutNodesAreRefused) {
    const auto layout = whole_layout(blocks_of({0, 2, 4}));
    DenseMatrix out(1, 1);
    EXPECT_THROW(add_over_rows({layout.get(), {}}, 4, 0, out, {1}, [](RowRange, MatrixView) {}),
                 std::logic_error);
}

}  // namespace
}  // namespace hwgcn
