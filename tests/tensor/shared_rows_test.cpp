#include <algorithm>
#include <functional>
#include <vector>

#include "tensor/dropout.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/rows.hpp"
#include "tensor/wide_matrices.hpp"

// Operations that threads share: large enough to be cut, with rows that do not divide evenly.
namespace hwgcn::shared_rows_test {
namespace {

using testing::have_same_bits;
using testing::random_numbers;
using testing::same_bits_everywhere;

constexpr Index rows = 4099;
constexpr Index columns = 70;  // rows of 80

DenseMatrix computed(const std::function<void(MatrixView, int threads)>& compute) {
    return same_bits_everywhere([&](int threads) {
        DenseMatrix out = random_numbers(rows, columns, 9);
        compute(out, threads);
        return out;
    });
}

TEST(SharedRows, FactorsAndActivationsReachEveryRow) {
    const DenseMatrix x = random_numbers(rows, columns, 1, 3.0);
    const DenseMatrix before = random_numbers(rows, columns, 9);
    const DenseMatrix scaled =
        computed([&](MatrixView out, int threads) { scale({-1.5F}, x, out, Write::add, {threads}); });
    const DenseMatrix positive =
        computed([&](MatrixView out, int threads) { activate(Activation::relu, x, out, {threads}); });
    const DenseMatrix slopes = computed([&](MatrixView out, int threads) {
        activation_gradient(Activation::relu, x, before, out, Write::replace, {threads});
    });
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            ASSERT_EQ(scaled.at(i, j), before.at(i, j) + -1.5F * x.at(i, j));
            ASSERT_EQ(positive.at(i, j), std::max(x.at(i, j), 0.0F));
            ASSERT_EQ(slopes.at(i, j), x.at(i, j) > 0 ? before.at(i, j) : 0.0F);
        }
    }
    for (const Activation activation : {Activation::elu, Activation::tanh, Activation::softmax})
        computed([&](MatrixView out, int threads) { activate(activation, x, out, {threads}); });
}

TEST(SharedRows, RowsAreAddedAndGathered) {
    const DenseMatrix x = random_numbers(rows, columns, 1);
    const DenseMatrix row = random_numbers(1, columns, 2);
    std::vector<Index> places;
    for (Index i = 0; i < rows; ++i)
        places.push_back(i * 7 % rows);
    const DenseMatrix sum = computed([&](MatrixView out, int threads) { add_row(x, row, out, {threads}); });
    const DenseMatrix moved =
        computed([&](MatrixView out, int threads) { gather_rows(x, places, out, {threads}); });
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            ASSERT_EQ(sum.at(i, j), x.at(i, j) + row.at(0, j));
            ASSERT_EQ(moved.at(i, j), x.at(places[i], j));
        }
    }
}

TEST(SharedRows, ColumnSumsAreThoseOfOneThreadFirstRowFirst) {
    for (const Index width : {5, 40, 70}) {
        const Index count = 400'000 / width;
        const DenseMatrix x = random_numbers(count, width, 1);
        const DenseMatrix before = random_numbers(1, width, 2);
        const DenseMatrix sums = same_bits_everywhere([&](int threads) {
            DenseMatrix out = before;
            add_column_sums(x, out, {threads});
            return out;
        });
        for (Index j = 0; j < width; ++j) {
            float expected = before.at(0, j);
            for (Index i = 0; i < count; ++i)
                expected += x.at(i, j);
            EXPECT_EQ(sums.at(0, j), expected) << j << " of " << width;
        }
    }
}

TEST(SharedRows, MasksAreDrawnAndAppliedAlike) {
    const DenseMatrix x = random_numbers(rows, columns, 1);
    std::vector<Index> nodes;
    for (Index i = 0; i < rows; ++i)
        nodes.push_back(rows - 1 - i);
    const std::size_t bits = static_cast<std::size_t>(rows) * row_stride(columns);
    Workspace workspace;
    const DropMask alone = draw_mask(workspace, bits, 0.3, {5, 6});
    for (const int threads : {1, 2, 3, 8}) {
        const DropMask shared = draw_mask(workspace, bits, 0.3, {5, 6}, {threads});
        EXPECT_TRUE(std::ranges::equal(alone.bits, shared.bits)) << threads << " threads";
    }
    const DenseMatrix kept = computed(
        [&](MatrixView out, int threads) { apply_dropout(x, nodes, alone, out, Write::replace, {threads}); });
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            const std::size_t bit =
                static_cast<std::size_t>(nodes[i]) * row_stride(columns) + static_cast<std::size_t>(j);
            const bool survives = (alone.bits[bit / 64] >> bit % 64 & 1) != 0;
            ASSERT_EQ(kept.at(i, j), survives ? alone.scale * x.at(i, j) : 0.0F);
        }
    }
}

TEST(SharedRows, TransposingTwiceChangesNothing) {
    const DenseMatrix x = random_numbers(51, 33, 1);
    DenseMatrix turned(33, 51), again(51, 33);
    transpose(x, turned);
    EXPECT_EQ(turned.at(32, 50), x.at(50, 32));
    EXPECT_EQ(turned.at(3, 17), x.at(17, 3));
    transpose(turned, again);
    EXPECT_TRUE(have_same_bits(x, again));
}

}  // namespace
}  // namespace hwgcn::shared_rows_test
