// What features are made into: by which numbers, how, and that later rows are treated alike.
#include "hwgcn/dataset/feature_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"

namespace hwgcn::feature_scaling_test {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

Dataset dataset_of(const std::vector<std::vector<float>>& rows, std::vector<FeatureKind> kinds = {}) {
    Dataset dataset;
    dataset.name = "test";
    dataset.nodes = static_cast<Index>(rows.size());
    dataset.labels.assign(rows.size(), unlabelled);
    dataset.features = {dataset.nodes, static_cast<Index>(rows.front().size()), {0}, {}, {}};
    for (const std::vector<float>& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (row[c] == 0) continue;
            dataset.features.indices.push_back(static_cast<Index>(c));
            dataset.features.values.push_back(row[c]);
        }
        dataset.features.offsets.push_back(dataset.features.entries());
    }
    dataset.feature_kinds = std::move(kinds);
    return dataset;
}

std::vector<std::vector<float>> dense(const CsrMatrix<float>& matrix) {
    std::vector<std::vector<float>> rows(matrix.rows, std::vector<float>(matrix.columns, 0.0F));
    for (Index i = 0; i < matrix.rows; ++i) {
        for (std::size_t e = 0; e < matrix.row(i).size(); ++e)
            rows[i][matrix.row(i).indices[e]] = matrix.row(i).values[e];
    }
    return rows;
}

std::vector<float> column(const CsrMatrix<float>& matrix, Index c) {
    std::vector<float> values;
    for (const std::vector<float>& row : dense(matrix))
        values.push_back(row[c]);
    return values;
}

double mean(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values)
        sum += static_cast<double>(value);
    return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<float>& values) {
    double sum = 0;
    for (const float value : values)
        sum += std::pow(static_cast<double>(value) - mean(values), 2);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

Dataset normal_numbers(int rows, int columns, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(3, 20);
    std::vector<std::vector<float>> numbers(rows, std::vector<float>(columns));
    for (std::vector<float>& row : numbers) {
        for (float& number : row)
            number = normal(random);
    }
    return dataset_of(numbers);
}

TEST(FeatureScaling, WordsAreDividedByTheirSum) {
    Dataset dataset = dataset_of({{2, 0, 0, 2}, {0, 0, 0, 0}, {0, 3, 0, 0}});
    const FeatureScaling scaling = scale_features(dataset);
    EXPECT_EQ(scaling.scale, Scale::rows);
    EXPECT_EQ(scaling.note, "");
    EXPECT_THAT(dense(dataset.features),
                ElementsAre(ElementsAre(0.5F, 0, 0, 0.5F), ElementsAre(0, 0, 0, 0), ElementsAre(0, 1, 0, 0)));
    EXPECT_EQ(fit_scaling(dataset_of({{1, 1}, {1, 0}, {1, 1}})).scale, Scale::rows)
        << "0 and 1, though dense";
}

TEST(FeatureScaling, NumbersAreStandardised) {
    Dataset dataset = normal_numbers(500, 3, 1);
    const FeatureScaling scaling = scale_features(dataset);
    EXPECT_EQ(scaling.scale, Scale::standard);
    EXPECT_THAT(scaling.note, HasSubstr("3 numbers standardised, because feature 0 has negative values"));
    for (Index c = 0; c < 3; ++c) {
        EXPECT_NEAR(mean(column(dataset.features, c)), 0, 1e-6);
        EXPECT_NEAR(deviation(column(dataset.features, c)), 1, 1e-6);
    }
}

TEST(FeatureScaling, OneOutlierDoesNotSquashTheOthers) {
    Dataset dataset = normal_numbers(500, 1, 2);
    dataset.features.values[7] = 1e30F;
    scale_features(dataset);
    std::vector<float> values = column(dataset.features, 0);
    EXPECT_LT(values[7], 10);
    values.erase(values.begin() + 7);
    EXPECT_NEAR(deviation(values), 1, 0.1);
}

TEST(FeatureScaling, AConstantSaysNothing) {
    Dataset dataset = dataset_of({{0.1F, -1}, {0.1F, 2}, {0.1F, 5}});
    scale_features(dataset);
    EXPECT_THAT(column(dataset.features, 0), ElementsAre(0, 0, 0));
}

TEST(FeatureScaling, AMissingValueIsTheMedianAndMarked) {
    Dataset dataset = dataset_of({{-1, 4}, {missing, 5}, {3, 9}, {100, 6}});
    dataset.feature_names = {"x", "y"};
    const FeatureScaling scaling = scale_features(dataset);
    EXPECT_THAT(dataset.feature_names, ElementsAre("x", "y", "x is missing"));
    EXPECT_THAT(scaling.description, HasSubstr("1 mark of missing values"));
    const auto rows = dense(dataset.features);
    EXPECT_THAT(column(dataset.features, 2), ElementsAre(0, 1, 0, 0));
    EXPECT_EQ(rows[1][0], rows[2][0]) << "the median of -1, 3 and 100";
}

TEST(FeatureScaling, MixedTablesAreScaledByKind) {
    // Income and a category, and 20 words of which each node has two.
    std::vector<std::vector<float>> rows;
    for (int i = 0; i < 40; ++i) {
        std::vector<float> row(22, 0.0F);
        row[0] = static_cast<float>(20000 + 317 * i);
        row[1] = i % 2 == 0 ? 1 : 0;
        row[2 + i % 20] = 3;
        row[2 + (i + 7) % 20] = 1;
        rows.push_back(row);
    }
    std::vector<FeatureKind> kinds(22, FeatureKind::unknown);
    kinds[1] = FeatureKind::category;
    Dataset dataset = dataset_of(rows, kinds);
    const FeatureScaling scaling = scale_features(dataset);
    EXPECT_EQ(scaling.description,
              "1 number standardised, 20 words divided by the sum of their row, 1 category 0 or 1");
    const auto result = dense(dataset.features);
    EXPECT_NEAR(mean(column(dataset.features, 0)), 0, 1e-6);
    EXPECT_EQ(result[0][1], 1);
    double square = 0;
    for (Index c = 2; c < 22; ++c)
        square += std::pow(static_cast<double>(result[0][c]), 2);
    EXPECT_NEAR(square, 1, 1e-5) << "the words weigh like one number";
    EXPECT_NEAR(result[0][2] / result[0][9], 3, 1e-5);
}

TEST(FeatureScaling, SparseSignedColumnsStaySparse) {
    std::vector<std::vector<float>> rows(100, std::vector<float>(1, 0.0F));
    rows[3][0] = -5;
    rows[8][0] = 7;
    Dataset dataset = dataset_of(rows);
    EXPECT_EQ(scale_features(dataset).scale, Scale::standard);
    EXPECT_EQ(dataset.features.entries(), 2);
}

TEST(FeatureScaling, TheScaleCanBeAskedFor) {
    const auto scaled_by = [](Scale scale) {
        Dataset dataset = dataset_of({{-1, 10}, {3, 20}, {1, missing}});
        dataset.scale = scale;
        const bool imputes = scale == Scale::unit || scale == Scale::standard;
        EXPECT_EQ(
            scale_features(dataset).note,
            imputes ? ""
                    : "features: missing values of 1 column count as 0; `scale=standard` puts the median in "
                      "their place");
        return dense(dataset.features);
    };
    EXPECT_THAT(scaled_by(Scale::unit)[1], ElementsAre(1, 1, 0));
    EXPECT_THAT(scaled_by(Scale::unit)[2], ElementsAre(0.5F, 0.5F, 1));
    EXPECT_THAT(scaled_by(Scale::none)[0], ElementsAre(-1, 10));
    EXPECT_THAT(scaled_by(Scale::rows)[1], ElementsAre(3 / 23.0F, 20 / 23.0F));
    EXPECT_THAT(scaled_by(Scale::rows)[2], ElementsAre(1, 0)) << "a gap counts as 0";
}

TEST(FeatureScaling, LaterRowsAreScaledAsFitted) {
    Dataset dataset = normal_numbers(50, 2, 3);
    const CsrMatrix<float> before = dataset.features;
    const FeatureScaling scaling = scale_features(dataset);
    CsrMatrix<float> one{1, 2, {0, 2}, {0, 1}, {before.values[2], before.values[3]}};
    EXPECT_EQ(dense(scaled(one, scaling))[0], dense(dataset.features)[1]);
}

TEST(FeatureScaling, UnknownNamesAreRefused) {
    EXPECT_EQ(scale_named(""), Scale::automatic);
    EXPECT_EQ(scale_named("unit"), Scale::unit);
    EXPECT_EQ(name_of(Scale::standard), "standard");
    expect_input_error([] { scale_named("standart"); }, {"scale", "did you mean 'standard'"});
}

// A column of numbers that comes from a table.
FeatureScaling fitted(const std::vector<float>& numbers, FeatureKind kind = FeatureKind::column,
                      Scale scale = Scale::automatic) {
    std::vector<std::vector<float>> rows;
    for (const float number : numbers)
        rows.push_back({number});
    Dataset dataset = dataset_of(rows, {kind});
    dataset.feature_names = {"views"};
    dataset.scale = scale;
    return fit_scaling(dataset);
}

bool becomes_logarithms(const std::vector<float>& numbers) {
    return fitted(numbers).columns.at(0).unit > 0;
}

// So many numbers of a distribution, by its quantiles.
std::vector<float> quantiles(int count, const std::function<double(double)>& at) {
    std::vector<float> numbers;
    for (int k = 0; k < count; ++k)
        numbers.push_back(static_cast<float>(at((k * 37 % count + 0.5) / count)));
    return numbers;
}

double six_to_a_hundred_million(double share) {
    return 6 * std::pow(10, 7.2 * share);
}

TEST(FeatureScaling, LogarithmsStandForNumbersOverPowersOfTen) {
    const std::vector<float> numbers = quantiles(400, six_to_a_hundred_million);
    const FeatureScaling scaling = fitted(numbers);
    EXPECT_EQ(scaling.description, "1 number standardised (1 as logarithm)");
    EXPECT_THAT(scaling.note,
                HasSubstr("'views' goes over three powers of ten or more, and logarithms stand for its "
                          "numbers (`scale=standard`: the numbers)"));
    std::vector<std::vector<float>> rows;
    for (const float number : numbers)
        rows.push_back({number});
    const std::vector<float> values = column(scaled(dataset_of(rows).features, scaling), 0);
    EXPECT_NEAR(mean(values), 0, 1e-6);
    const double unit = scaling.columns[0].unit;
    EXPECT_GT(unit, 6);
    EXPECT_LT(unit, 20);
    const auto expected = [&](float number) {
        return (std::log1p(static_cast<double>(number) / unit) - scaling.columns[0].centre) *
               scaling.columns[0].factor;
    };
    for (std::size_t k = 0; k < values.size(); ++k)
        EXPECT_NEAR(values[k], expected(numbers[k]), 1e-5);
    EXPECT_LT(*std::ranges::max_element(values), 2.5) << "evenly spread, none cut off";
    // Later rows: zeros and numbers below have a place, negative ones count as 0, and gaps are the median.
    const std::vector<float> later =
        column(scaled(dataset_of({{0}, {1}, {-5}, {missing}}).features, scaling), 0);
    EXPECT_EQ(later[0], later[2]);
    EXPECT_NEAR(later[3], 0, 0.1);
}

TEST(FeatureScaling, OtherNumbersStayAsTheyAre) {
    const auto uniform = [](double share) { return 1 + 9999 * share; };
    EXPECT_FALSE(becomes_logarithms(quantiles(2000, uniform))) << "over powers of ten, but evenly";
    EXPECT_FALSE(becomes_logarithms(quantiles(400, [](double share) { return -std::log(share); })))
        << "ages, durations";
    std::vector<float> counts = quantiles(400, [](double share) { return std::floor(6 * share); });
    counts[7] = 50000;
    EXPECT_FALSE(becomes_logarithms(counts)) << "an outlier";
    EXPECT_FALSE(becomes_logarithms(quantiles(400, [](double share) { return share < 0.5 ? 1 : 10000; })))
        << "codes";
    EXPECT_FALSE(becomes_logarithms(quantiles(15, six_to_a_hundred_million))) << "too few";
    std::vector<float> signed_numbers = quantiles(400, six_to_a_hundred_million);
    signed_numbers[3] = -1;
    EXPECT_FALSE(becomes_logarithms(signed_numbers));
    EXPECT_TRUE(
        becomes_logarithms(quantiles(20000, [](double share) { return std::floor(1 / (1 - share)); })));
    EXPECT_TRUE(becomes_logarithms(quantiles(400, [](double share) {
        return share < 0.3 ? 0 : six_to_a_hundred_million(share);
    }))) << "zeros among them";
    const std::vector<float> wide = quantiles(400, six_to_a_hundred_million);
    EXPECT_EQ(fitted(wide, FeatureKind::unknown).columns.at(0).unit, 0) << "of a matrix";
    for (const Scale scale : {Scale::standard, Scale::unit})
        EXPECT_EQ(fitted(wide, FeatureKind::column, scale).columns.at(0).unit, 0);
    EXPECT_TRUE(fitted(wide, FeatureKind::column, Scale::rows).columns.empty());
}

}  // namespace
}  // namespace hwgcn::feature_scaling_test
