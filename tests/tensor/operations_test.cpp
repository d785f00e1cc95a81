#include "tensor/operations.hpp"

#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "instruction_sets.hpp"

namespace hwgcn {
namespace {

using testing::for_every_instruction_set;

// With and without padding, in rows of 8, of 16, of several vectors.
constexpr Index widths[] = {1, 7, 8, 9, 16, 18, 40};
constexpr Write both_ways[] = {Write::replace, Write::add};

DenseMatrix random_dense(Index rows, Index columns, std::uint64_t seed) {
    RandomStream random(seed, 1);
    std::vector<float> numbers(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (float& number : numbers)
        number = static_cast<float>(random.uniform() - 0.5);
    DenseMatrix matrix(rows, columns);
    upload(numbers, matrix);
    return matrix;
}

bool same_bits(const DenseMatrix& a, const DenseMatrix& b) {
    return a.numbers().size() == b.numbers().size() &&
           std::memcmp(a.numbers().data(), b.numbers().data(), a.numbers().size_bytes()) == 0;
}

bool has_zero_padding(const DenseMatrix& a) {
    for (Index i = 0; i < a.rows(); ++i) {
        for (auto k = static_cast<std::size_t>(a.columns()); k < a.view().stride(); ++k) {
            if (a.row(i)[k] != 0.0F) return false;
        }
    }
    return true;
}

using Number = std::function<float(Index i, Index j)>;

// `out` is `expected` (plus what was there before) in every column, and zero beyond them.
void expect_written(const DenseMatrix& out, const DenseMatrix& before, Write write, const Number& expected) {
    for (Index i = 0; i < out.rows(); ++i) {
        for (Index j = 0; j < out.columns(); ++j) {
            const float start = write == Write::add ? before.at(i, j) : 0.0F;
            EXPECT_FLOAT_EQ(out.at(i, j), start + expected(i, j)) << i << " " << j;
        }
    }
    EXPECT_TRUE(has_zero_padding(out));
}

TEST(Transfer, NumbersComeBackWithoutPadding) {
    for (const Index width : widths) {
        const DenseMatrix x = random_dense(3, width, 1);
        const std::vector<float> numbers = download(x);
        ASSERT_EQ(numbers.size(), 3 * static_cast<std::size_t>(width));
        EXPECT_EQ(numbers.back(), x.at(2, width - 1));
        DenseMatrix again(3, width);
        upload(numbers, again);
        EXPECT_TRUE(same_bits(again, x));
    }
}

TEST(Transfer, FillsTheColumnsAndNotThePadding) {
    for (const Index width : widths) {
        DenseMatrix x = random_dense(3, width, 1);
        fill(x, 2.5F);
        expect_written(x, x, Write::replace, [](Index, Index) { return 2.5F; });
        fill(x, 0.0F);
        EXPECT_EQ(download(x), std::vector<float>(3 * static_cast<std::size_t>(width), 0.0F));
    }
    DenseMatrix single(1, 1);
    fill(single, 7.0F);
    EXPECT_EQ(number(single), 7.0F);
}

TEST(RowOperations, GatherAndScatterAreOpposites) {
    const std::vector<Index> rows = {4, 0, 4};
    for (const Index width : widths) {
        const DenseMatrix x = random_dense(5, width, 1);
        DenseMatrix gathered(3, width);
        gather_rows(x, rows, gathered);
        expect_written(gathered, gathered, Write::replace,
                       [&](Index i, Index j) { return x.at(rows[i], j); });
        const DenseMatrix before = random_dense(5, width, 2);
        DenseMatrix out = before;
        scatter_add_rows(gathered, rows, out);
        expect_written(out, before, Write::add, [&](Index i, Index j) {
            return i == 4 ? 2 * x.at(4, j) : i == 0 ? x.at(0, j) : 0.0F;  // row 4 twice
        });
    }
}

TEST(RowOperations, ColumnsGoWhereTheyAreToldAndNowhereElse) {
    for (const Index width : widths) {
        for (const Write write : both_ways) {
            const DenseMatrix x = random_dense(3, width + 3, 1);
            const DenseMatrix before = random_dense(3, width + 2, 2);
            DenseMatrix out = before;
            copy_columns(x, 3, width, out, 1, write);
            expect_written(out, before, Write::replace, [&](Index i, Index j) {
                if (j < 1 || j > width) return before.at(i, j);
                return x.at(i, j + 2) + (write == Write::add ? before.at(i, j) : 0.0F);
            });
        }
        const DenseMatrix x = random_dense(3, width, 1);
        DenseMatrix out = random_dense(3, width, 2);
        copy(x, out);
        EXPECT_TRUE(same_bits(out, x));
    }
}

TEST(RowOperations, RowsAreScaledAddedAndSummed) {
    const DenseMatrix factors = random_dense(1, 5, 3);
    for (const Index width : widths) {
        const DenseMatrix x = random_dense(5, width, 1);
        for (const Write write : both_ways) {
            const DenseMatrix before = random_dense(5, width, 2);
            DenseMatrix out = before;
            scale_rows(factors, x, out, write);
            expect_written(out, before, write,
                           [&](Index i, Index j) { return factors.at(0, i) * x.at(i, j); });
            const DenseMatrix of_columns = random_dense(1, width, 5);
            out = before;
            scale_columns(of_columns, x, out, write);
            expect_written(out, before, write,
                           [&](Index i, Index j) { return of_columns.at(0, j) * x.at(i, j); });
        }
        const DenseMatrix row = random_dense(1, width, 4);
        DenseMatrix sum(5, width);
        add_row(x, row, sum);
        expect_written(sum, sum, Write::replace, [&](Index i, Index j) { return x.at(i, j) + row.at(0, j); });
        DenseMatrix totals = row;
        add_column_sums(x, totals);
        for (Index j = 0; j < width; ++j) {
            float expected = row.at(0, j);
            for (Index i = 0; i < 5; ++i)
                expected += x.at(i, j);
            EXPECT_EQ(totals.at(0, j), expected);  // first row first
        }
        EXPECT_TRUE(has_zero_padding(totals));
    }
}

TEST(RowOperations, InnerProductsOfRowsAreAdded) {
    for (const Index width : widths) {
        const DenseMatrix a = random_dense(4, width, 1);
        const DenseMatrix b = random_dense(4, width, 2);
        DenseMatrix out = random_dense(1, 4, 3);
        const DenseMatrix before = out;
        add_row_dots(a, b, out);
        for (Index i = 0; i < 4; ++i) {
            float expected = before.at(0, i);
            for (Index j = 0; j < width; ++j)
                expected += a.at(i, j) * b.at(i, j);
            EXPECT_EQ(out.at(0, i), expected);
        }
    }
}

TEST(RowOperations, Transpose) {
    for (const Index width : widths) {
        const DenseMatrix x = random_dense(5, width, 1);
        DenseMatrix out(width, 5);
        transpose(x, out);
        expect_written(out, out, Write::replace, [&](Index i, Index j) { return x.at(j, i); });
    }
}

TEST(Elementwise, AFactorIsAConstantTimesAnElementOverADivisor) {
    for_every_instruction_set([](const std::string& set) {
        SCOPED_TRACE(set);
        const DenseMatrix weights = random_dense(1, 4, 3);
        for (const Index width : widths) {
            for (const Write write : both_ways) {
                const DenseMatrix x = random_dense(3, width, 1);
                const DenseMatrix before = random_dense(3, width, 2);
                DenseMatrix out = before;
                scale({-1.5F}, x, out, write);
                expect_written(out, before, write, [&](Index i, Index j) { return -1.5F * x.at(i, j); });
                out = before;
                scale({.multiplier = 2.0F, .row = weights, .column = 2, .divisor = 3.0F}, x, out, write);
                expect_written(out, before, write,
                               [&](Index i, Index j) { return 2.0F * weights.at(0, 2) / 3.0F * x.at(i, j); });
            }
        }
    });
}

TEST(Elementwise, GradientsOfActivationsAreWrittenOrAdded) {
    for (const Activation activation :
         {Activation::relu, Activation::elu, Activation::tanh, Activation::softmax}) {
        for (const Index width : widths) {
            const DenseMatrix x = random_dense(3, width, 1);
            const DenseMatrix gradient = random_dense(3, width, 2);
            DenseMatrix y(3, width);
            activate(activation, x, y);
            EXPECT_TRUE(has_zero_padding(y));
            DenseMatrix replaced = random_dense(3, width, 3);
            activation_gradient(activation, y, gradient, replaced, Write::replace);
            const DenseMatrix before = random_dense(3, width, 4);
            DenseMatrix added = before;
            activation_gradient(activation, y, gradient, added, Write::add);
            expect_written(added, before, Write::add, [&](Index i, Index j) { return replaced.at(i, j); });
        }
    }
}

TEST(Elementwise, TheInnerProductIsAddedToOneNumber) {
    for (const Index width : widths) {
        const DenseMatrix a = random_dense(6, width, 1);
        const DenseMatrix b = random_dense(6, width, 2);
        double expected = 0.25;
        for (Index i = 0; i < 6; ++i) {
            for (Index j = 0; j < width; ++j)
                expected += static_cast<double>(a.at(i, j)) * static_cast<double>(b.at(i, j));
        }
        DenseMatrix out(1, 3);
        fill(out, 0.25F);
        add_dot(a, b, out, 1);
        EXPECT_NEAR(out.at(0, 1), expected, 1e-6);
        EXPECT_EQ(out.at(0, 0), 0.25F);
        EXPECT_EQ(out.at(0, 2), 0.25F);
    }
}

TEST(Losses, ErrorsOfTheCrossEntropySumToZeroInEachRow) {
    const DenseMatrix scores = random_dense(4, 7, 1);
    const std::vector<Index> labels = {6, 0, 3, 3};
    DenseMatrix errors(4, 7), loss(1, 1), shares(4, 7);
    cross_entropy(scores, labels, {}, errors, loss);
    activate(Activation::softmax, scores, shares);
    double expected = 0;
    for (Index i = 0; i < 4; ++i) {
        expected -= std::log(static_cast<double>(shares.at(i, labels[i]))) / 4;
        for (Index j = 0; j < 7; ++j)
            EXPECT_EQ(errors.at(i, j), shares.at(i, j) - (labels[i] == j ? 1.0F : 0.0F));
    }
    EXPECT_NEAR(number(loss), expected, 1e-6);
    EXPECT_TRUE(has_zero_padding(errors));
}

TEST(Losses, WeightsScaleTheLossAndTheErrorsOfTheirRows) {
    const DenseMatrix scores = random_dense(3, 5, 1);
    const std::vector<Index> labels = {4, 0, 2};
    DenseMatrix errors(3, 5), loss(1, 1), weighted(3, 5), weighted_loss(1, 1);
    cross_entropy(scores, labels, {}, errors, loss);
    cross_entropy(scores, labels, std::vector<float>{1, 1, 1}, weighted, weighted_loss);
    EXPECT_EQ(number(weighted_loss), number(loss)) << "the same bits";
    const std::vector<float> weights = {2, 0, 0.5};
    cross_entropy(scores, labels, weights, weighted, weighted_loss);
    double expected = 0;
    for (Index i = 0; i < 3; ++i) {
        for (Index j = 0; j < 5; ++j)
            EXPECT_EQ(weighted.at(i, j), weights[i] * errors.at(i, j));
        const double share = static_cast<double>(errors.at(i, labels[i])) + 1.0;
        expected -= static_cast<double>(weights[i]) * std::log(share) / 3;
    }
    EXPECT_NEAR(number(weighted_loss), expected, 1e-6);
    EXPECT_TRUE(has_zero_padding(weighted));
}

TEST(Losses, TheSquaredDistanceIsAMeanOverRows) {
    for (const Index width : widths) {
        const DenseMatrix x = random_dense(3, width, 1);
        const DenseMatrix y = random_dense(3, width, 2);
        DenseMatrix difference(3, width), loss(1, 1);
        squared_distance(x, y, difference, loss);
        double expected = 0;
        for (Index i = 0; i < 3; ++i) {
            for (Index j = 0; j < width; ++j)
                expected +=
                    std::pow(static_cast<double>(x.at(i, j)) - static_cast<double>(y.at(i, j)), 2) / 3;
        }
        EXPECT_NEAR(number(loss), expected, 1e-6);
        expect_written(difference, difference, Write::replace,
                       [&](Index i, Index j) { return x.at(i, j) - y.at(i, j); });
    }
}

TEST(Losses, TheMeanOfTwoDistributionsIsSharpened) {
    DenseMatrix a(2, 5), b(2, 5), out(2, 5);
    activate(Activation::softmax, random_dense(2, 5, 1), a);
    activate(Activation::softmax, random_dense(2, 5, 2), b);
    for (const double temperature : {0.5, 0.8}) {
        sharpened_mean(std::array<ConstMatrixView, 2>{a, b}, temperature, out);
        for (Index i = 0; i < 2; ++i) {
            double sum = 0;
            for (Index j = 0; j < 5; ++j)
                sum += std::pow(0.5 * static_cast<double>(a.at(i, j) + b.at(i, j)), 1.0 / temperature);
            for (Index j = 0; j < 5; ++j) {
                const double mean = 0.5 * static_cast<double>(a.at(i, j) + b.at(i, j));
                EXPECT_NEAR(out.at(i, j), std::pow(mean, 1.0 / temperature) / sum, 1e-6);
            }
        }
    }
}

TEST(Dropout, KeepsWholeRowsByTheBitOfTheirNode) {
    const std::vector<Index> nodes = {3, 5, 6, 11};
    const std::uint64_t words[] = {1U << 5 | 1U << 11, 0};  // of the nodes here, 5 and 11
    const DropMask mask{words, 1.25F, true};
    for (const Index width : widths) {
        for (const Write write : both_ways) {
            const DenseMatrix x = random_dense(4, width, 1);
            const DenseMatrix before = random_dense(4, width, 2);
            DenseMatrix out = before;
            apply_dropout(x, nodes, mask, out, write);
            expect_written(out, before, write,
                           [&](Index i, Index j) { return i % 2 == 1 ? 1.25F * x.at(i, j) : 0.0F; });
        }
    }
}

TEST(Dropout, InverseLengthsAreThoseOfTheKeptEntries) {
    const CsrMatrix<float> m =
        csr_from_triplets(3, 4, {{0, 0, 3.0F}, {0, 1, 4.0F}, {0, 3, 12.0F}, {2, 2, 0.5F}});
    DenseMatrix out(1, 3);
    inverse_lengths(m, nullptr, out);
    EXPECT_FLOAT_EQ(out.at(0, 0), 1.0F / 13.0F);
    EXPECT_FLOAT_EQ(out.at(0, 1), 1.0F);  // a row of zeros
    EXPECT_FLOAT_EQ(out.at(0, 2), 2.0F);
    const std::uint64_t words[] = {0b11 << 7, 0};  // the first two entries of the first row
    const std::vector<std::int64_t> origin = {7, 20, 30};
    const KeptEntries kept{words, origin, 2.0F};
    inverse_lengths(m, &kept, out);
    EXPECT_FLOAT_EQ(out.at(0, 0), 0.1F);
    EXPECT_FLOAT_EQ(out.at(0, 2), 1.0F);  // nothing kept
}

}  // namespace
}  // namespace hwgcn
