// The parts that boosted trees are made of, each against a naive computation.

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "base/random_stream.hpp"
#include "io/expect_input_error.hpp"
#include "methods/trees/tree_growth.hpp"
#include "methods/trees/tree_shapley.hpp"

namespace hwgcn::testing::trees_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(BinEdges, LieBetweenDifferentNumbersAndNeverAboveTheLast) {
    EXPECT_THAT(bin_edges({3, 1, 1, nan, 2, 3}), ElementsAre(1.5F, 2.5F));
    EXPECT_THAT(bin_edges({7, 7, 7}), IsEmpty());
    EXPECT_THAT(bin_edges({nan, nan}), IsEmpty());
    EXPECT_THAT(bin_edges({}), IsEmpty());
    const float above = std::nextafter(1.0F, 2.0F);  // nothing is between them
    EXPECT_THAT(bin_edges({1.0F, above}), ElementsAre(1.0F));
}

TEST(BinEdges, OfManyNumbersAreQuantiles) {
    std::vector<float> numbers(100'000);
    std::iota(numbers.begin(), numbers.end(), 0.0F);
    const std::vector<float> edges = bin_edges(numbers);
    ASSERT_EQ(edges.size(), 254U);
    for (std::size_t k = 0; k < edges.size(); ++k)
        EXPECT_NEAR(edges[k], 100'000.0 * static_cast<double>(k + 1) / 255, 2);
    std::fill_n(numbers.begin(), 90'000, 5.0F);  // ties do not use up the bins
    const std::vector<float> tied = bin_edges(numbers);
    EXPECT_TRUE(std::ranges::is_sorted(tied, std::less_equal()));
    EXPECT_GT(tied.size(), 20U);
}

// Columns of few and of many different numbers, some of them missing.
struct Table {
    std::vector<std::vector<float>> rows;
    BinnedTable binned;

    Table(std::size_t count, std::uint64_t seed)
        : rows(made(count, seed)),
          binned(
              static_cast<std::int64_t>(count), static_cast<std::int64_t>(count), 4,
              [this](std::int64_t row, std::span<float> out) { std::ranges::copy(rows[row], out.begin()); },
              {1}) {}

    static std::vector<std::vector<float>> made(std::size_t count, std::uint64_t seed) {
        RandomStream random(seed, 0);
        std::vector<std::vector<float>> rows(count);
        for (std::vector<float>& row : rows) {
            row = {static_cast<float>(random.below(3)), static_cast<float>(random.uniform()), 4.0F,
                   static_cast<float>(random.below(6))};
            if (random.uniform() < 0.2) row[1] = nan;
        }
        return rows;
    }
};

TEST(BinnedTable, BinsSayWhichEdgesANumberIsAbove) {
    const Table table(500, 1);
    for (std::uint32_t row = 0; row < 500; ++row) {
        for (Index c = 0; c < 4; ++c) {
            const float number = table.rows[row][c];
            const std::uint8_t bin = table.binned.column(c)[row];
            if (std::isnan(number)) {
                EXPECT_EQ(bin, BinnedTable::missing_bin);
                continue;
            }
            for (std::size_t edge = 0; edge < table.binned.edges(c).size(); ++edge)
                EXPECT_EQ(number <= table.binned.edges(c)[edge], bin <= edge);
        }
    }
    EXPECT_THAT(table.binned.edges(2), IsEmpty()) << "a constant";
}

struct Derivatives {
    std::vector<double> first, second;
    std::vector<std::uint32_t> rows;

    // Multiples of 1/8, which are quantised without rounding.
    Derivatives(std::size_t count, std::uint64_t seed) {
        RandomStream random(seed, 1);
        for (std::uint32_t row = 0; row < count; ++row) {
            first.push_back(static_cast<double>(random.below(17)) / 8 - 1);
            second.push_back(static_cast<double>(1 + random.below(4)) / 8);
            if (random.uniform() < 0.9) rows.push_back(row);
        }
    }
};

// The best split of some rows, by trying all of them on the numbers themselves.
struct NaiveSplit {
    double gain = 0;
    Index column = -1;
};

struct NaiveTree {
    const Table& table;
    const Derivatives& derivatives;
    TreeOptions options;

    std::pair<double, double> sums(const std::vector<std::uint32_t>& rows) const {
        double g = 0, h = 0;
        for (const std::uint32_t row : rows) {
            g += derivatives.first[row];
            h += derivatives.second[row];
        }
        return {g, h};
    }
    double score(const std::vector<std::uint32_t>& rows) const {
        const auto [g, h] = sums(rows);
        return g * g / (h + options.l2);
    }
    std::vector<std::uint32_t> side(const std::vector<std::uint32_t>& rows, Index column, float number,
                                    bool missing_left, bool left) const {
        std::vector<std::uint32_t> result;
        for (const std::uint32_t row : rows) {
            const float value = table.rows[row][column];
            const bool goes_left = std::isnan(value) ? missing_left : value <= number;
            if (goes_left == left) result.push_back(row);
        }
        return result;
    }
    NaiveSplit best(const std::vector<std::uint32_t>& rows) const {
        NaiveSplit found;
        for (Index c = 0; c < 4; ++c) {
            for (const float edge : table.binned.edges(c)) {
                for (const bool missing_left : {false, true}) {
                    const auto l = side(rows, c, edge, missing_left, true);
                    const auto r = side(rows, c, edge, missing_left, false);
                    if (sums(l).second < options.least_weight || sums(r).second < options.least_weight)
                        continue;
                    const double gain = score(l) + score(r) - score(rows);
                    if (gain > found.gain) found = {gain, c};
                }
            }
        }
        return found;
    }
    // Every place of the forest's only tree does what is best for its rows.
    void compare(const Forest& forest, std::int32_t k, const std::vector<std::uint32_t>& rows,
                 int depth) const {
        const TreePlace& place = forest.places[k];
        EXPECT_EQ(place.rows, static_cast<float>(rows.size()));
        const NaiveSplit split = best(rows);
        if (split.column < 0 || depth == options.depth) {
            ASSERT_TRUE(place.is_leaf());
            const auto [g, h] = sums(rows);
            EXPECT_EQ(place.number, static_cast<float>(-g / (h + options.l2) * options.rate));
            return;
        }
        ASSERT_FALSE(place.is_leaf());
        const auto l = side(rows, place.column, place.number, place.missing_left, true);
        const auto r = side(rows, place.column, place.number, place.missing_left, false);
        EXPECT_NEAR(score(l) + score(r) - score(rows), split.gain, 1e-9);
        compare(forest, k + 1, l, depth + 1);
        compare(forest, place.right, r, depth + 1);
    }
};

Forest forest_of(const GrownTree& tree, const BinnedTable& table) {
    Forest forest{{0.0, 0.0}, {}, {}};
    tree.append_to(forest, table);
    return forest;
}

TEST(TreeGrower, SplitsWhereTryingEverythingSplits) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        const Table table(120, seed);
        const Derivatives derivatives(120, seed);
        const TreeOptions options{1000, 6, 0.5, 0.5, 0.25};
        TreeGrower grower(table.binned, options);
        const GrownTree grown =
            grower.grow(derivatives.rows, quantized(derivatives.first, derivatives.second, derivatives.rows),
                        std::vector<Index>{0, 1, 2, 3}, {1});
        NaiveTree{table, derivatives, options}.compare(forest_of(grown, table.binned), 0, derivatives.rows,
                                                       0);
    }
}

TEST(TreeGrower, GivesEveryRowTheSameValueInAllThreeWays) {
    const Table table(300, 4);
    const Derivatives derivatives(300, 4);
    TreeGrower grower(table.binned, {9, 6, 1, 0.5, 1});
    const GrownTree grown =
        grower.grow(derivatives.rows, quantized(derivatives.first, derivatives.second, derivatives.rows),
                    std::vector<Index>{1, 3}, {1});
    EXPECT_EQ(grown.places.size(), 17U) << "9 leaves and 8 splits";
    const Forest forest = forest_of(grown, table.binned);
    std::vector<double> added(300, 0.0);
    grower.add_to(added);
    for (const std::uint32_t row : derivatives.rows) {
        EXPECT_EQ(static_cast<float>(added[row]), grown.value(table.binned, row));
        EXPECT_EQ(forest.leaf(0, table.rows[row]).number, grown.value(table.binned, row));
    }
}

TEST(TreeGrower, ThreadsChangeNothing) {
    const Table table(60'000, 5);
    const Derivatives derivatives(60'000, 5);
    const auto grown = [&](int threads) {
        TreeGrower grower(table.binned, {31, 6, 1, 1, 0.1});
        return forest_of(
            grower.grow(derivatives.rows, quantized(derivatives.first, derivatives.second, derivatives.rows),
                        std::vector<Index>{0, 1, 3}, {threads}),
            table.binned);
    };
    const DenseMatrix one = matrix_of_places(grown(1));
    EXPECT_TRUE(std::ranges::equal(one.numbers(), matrix_of_places(grown(2)).numbers()));
    EXPECT_TRUE(std::ranges::equal(one.numbers(), matrix_of_places(grown(3)).numbers()));
}

// Sums keep thirty bits, whatever the size of the numbers is.
TEST(Quantized, RoundsToUnitsThatNoSumOverflows) {
    RandomStream random(3, 0);
    for (const double size : {1e-12, 1.0, 1e9}) {
        std::vector<double> first(5000), second(5000);
        std::vector<std::uint32_t> rows(5000);
        double firsts = 0;
        for (std::uint32_t row = 0; row < 5000; ++row) {
            first[row] = size * (random.uniform() - 0.3);
            second[row] = size * random.uniform();
            rows[row] = row;
            firsts += first[row];
        }
        const QuantizedDerivatives found = quantized(first, second, rows);
        std::int64_t sum = 0;
        for (const std::int64_t packed : found.packed)
            sum += packed;
        const std::int64_t seconds = sum & 0xFFFFFFFF;
        EXPECT_LE(seconds, std::int64_t{1} << 30);
        EXPECT_GE(seconds, std::int64_t{1} << 28) << "no bits are wasted";
        EXPECT_NEAR(static_cast<double>((sum - seconds) >> 32) * found.first_unit, firsts,
                    1e-5 * size * 5000);
    }
    EXPECT_EQ(quantized(std::vector<double>{0.0}, std::vector<double>{0.0}, std::vector<std::uint32_t>{0})
                  .packed[0],
              0);
}

// Two trees over three columns with a missing direction each way.
Forest small_forest() {
    Forest forest{{0.5, -0.5}, {}, {0, 5}};
    forest.places = {{0, 1.5F, true, 10, 4},   {1, 0.0F, false, 6, 3},  {-1, 0.25F, false, 2, 0},
                     {-1, -1.0F, false, 4, 0}, {-1, 2.0F, false, 4, 0}, {-1, 0.125F, false, 10, 0}};
    return forest;
}

TEST(Forest, AnEdgeBelongsToTheLeftAndMissingNumbersGoWhereTheyAreSent) {
    const Forest forest = small_forest();
    EXPECT_EQ(forest.leaf(0, std::vector<float>{1.5F, 0.0F, 0}).number, 0.25F);
    EXPECT_EQ(forest.leaf(0, std::vector<float>{1.5F, 0.1F, 0}).number, -1.0F);
    EXPECT_EQ(forest.leaf(0, std::vector<float>{1.6F, 0.0F, 0}).number, 2.0F);
    EXPECT_EQ(forest.leaf(0, std::vector<float>{nan, nan, 0}).number, -1.0F);
    std::vector<double> scores(2);
    forest.scores(std::vector<float>{nan, 0.0F, 0}, scores);
    EXPECT_THAT(scores, ElementsAre(0.5, -0.5 + 0.25 + 0.125)) << "of two classes trees are for the second";
}

TEST(Forest, ComesBackFromItsMatrices) {
    const Table table(200, 6);
    const Derivatives derivatives(200, 6);
    TreeGrower grower(table.binned, {31, 6, 1, 0.5, 1});
    Forest forest = forest_of(
        grower.grow(derivatives.rows, quantized(derivatives.first, derivatives.second, derivatives.rows),
                    std::vector<Index>{0, 1, 3}, {1}),
        table.binned);
    forest.bias = {-1.0, 0.75};
    const Forest again = forest_from(matrix_of_places(forest), matrix_of_bias(forest), 4);
    EXPECT_EQ(again.bias, forest.bias);
    EXPECT_EQ(again.roots, forest.roots);
    for (const std::vector<float>& row : table.rows) {
        std::vector<double> a(2), b(2);
        forest.scores(row, a);
        again.scores(row, b);
        EXPECT_EQ(a, b);
    }
}

TEST(Forest, EveryDamageIsNamed) {
    const Forest forest = small_forest();
    const DenseMatrix bias = matrix_of_bias(forest);
    const auto damaged = [&](Index row, Index column, float number, const char* what) {
        DenseMatrix places = matrix_of_places(forest);
        places.at(row, column) = number;
        expect_input_error([&] { forest_from(places, bias, 3); },
                           {"the trees of the model are damaged", what});
    };
    EXPECT_EQ(forest_from(matrix_of_places(forest), bias, 3).places[0].right, 4);
    damaged(0, 0, 3, "names no column");
    damaged(0, 0, 0.5F, "names no column");
    damaged(0, 0, -2, "names no column");
    damaged(1, 0, nan, "names no column");
    damaged(2, 1, nan, "no finite number");
    damaged(0, 1, std::numeric_limits<float>::infinity(), "no finite number");
    damaged(0, 2, 2, "where missing numbers go");
    damaged(4, 3, 0, "has no number of rows");
    damaged(4, 3, 5, "has not the rows that are left");
    damaged(5, 0, 0, "is missing");
    expect_input_error([&] { forest_from(matrix_of_places(forest), DenseMatrix(1, 3), 3); },
                       {"a round is not complete"});
    DenseMatrix chain(200, columns_of_a_place);
    for (Index k = 0; k < 200; ++k)
        chain.at(k, 3) = 1;
    expect_input_error([&] { forest_from(chain, bias, 3); }, {"is too deep"});
}

// Whatever numbers a file holds: it is refused, or every row of numbers finds its way.
TEST(Forest, RandomDamageIsRefusedOrHarmless) {
    RandomStream random(8, 0);
    const Forest forest = small_forest();
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        DenseMatrix places = matrix_of_places(forest), bias = matrix_of_bias(forest);
        for (std::uint64_t changes = 1 + random.below(3); changes > 0; --changes) {
            const auto row = static_cast<Index>(random.below(6)),
                       column = static_cast<Index>(random.below(4));
            const float choices[] = {std::bit_cast<float>(static_cast<std::uint32_t>(random.bits())),
                                     -1,
                                     0,
                                     1,
                                     2,
                                     static_cast<float>(random.below(11))};
            places.at(row, column) = choices[random.below(6)];
        }
        try {
            const Forest found = forest_from(places, bias, 3);
            ++accepted;
            for (const float x : {nan, -1e30F, 0.0F, 1e30F}) {
                const std::vector<float> row = {x, -x, x};
                std::vector<double> scores(2), values(3, 0.0);
                found.scores(row, scores);
                for (std::size_t tree = 0; tree < found.roots.size(); ++tree)
                    add_shapley_values(found, tree, row, 1, values);
                EXPECT_TRUE(std::isfinite(scores[0] + scores[1] + values[0] + values[1] + values[2]));
            }
        } catch (const InputError&) {
        }
    }
    EXPECT_GT(accepted, 500);
    EXPECT_LT(accepted, 19'500);
}

// What is expected of a tree where some columns are known, place by place.
double expected_of(const Forest& forest, std::int32_t k, const std::vector<float>& row, unsigned known) {
    const TreePlace& place = forest.places[k];
    if (place.is_leaf()) return static_cast<double>(place.number);
    if ((known >> place.column & 1U) != 0)
        return expected_of(forest, place.goes_left(row[place.column]) ? k + 1 : place.right, row, known);
    const TreePlace &l = forest.places[k + 1], &r = forest.places[place.right];
    return (static_cast<double>(l.rows) * expected_of(forest, k + 1, row, known) +
            static_cast<double>(r.rows) * expected_of(forest, place.right, row, known)) /
           static_cast<double>(place.rows);
}

double factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

TEST(TreeShapley, IsTheSumOverAllSetsOfColumns) {
    const Table table(150, 7);
    const Derivatives derivatives(150, 7);
    TreeGrower grower(table.binned, {20, 8, 0.1, 0.3, 1});
    const Forest forest = forest_of(
        grower.grow(derivatives.rows, quantized(derivatives.first, derivatives.second, derivatives.rows),
                    std::vector<Index>{0, 1, 3}, {1}),
        table.binned);
    for (const std::size_t row : {0, 1, 2, 3, 17, 88}) {
        const std::vector<float>& x = table.rows[row];
        std::vector<double> values(4, 0.0);
        add_shapley_values(forest, 0, x, 2.0, values);
        double sum = 2 * expected_value(forest, 0);
        for (Index c = 0; c < 4; ++c) {
            double naive = 0;
            for (unsigned set = 0; set < 16; ++set) {
                if ((set >> c & 1U) != 0) continue;
                const int size = std::popcount(set);
                naive += factorial(size) * factorial(3 - size) / 24 *
                         (expected_of(forest, 0, x, set | 1U << c) - expected_of(forest, 0, x, set));
            }
            EXPECT_NEAR(values[c], 2 * naive, 1e-10) << "row " << row << ", column " << c;
            sum += values[c];
        }
        EXPECT_NEAR(sum, 2 * static_cast<double>(forest.leaf(0, x).number), 1e-10);
    }
    EXPECT_NEAR(expected_value(forest, 0), expected_of(forest, 0, table.rows[0], 0), 1e-12);
}

}  // namespace
}  // namespace hwgcn::testing::trees_test
