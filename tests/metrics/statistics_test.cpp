#include "hwgcn/metrics/statistics.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "io/expect_input_error.hpp"

namespace hwgcn::statistics_test {
namespace {

using testing::expect_input_error;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

void expect_relative(double value, double expected, double tolerance) {
    EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

// Box and Muller.
double standard_normal(RandomStream& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

std::vector<double> normal_sample(RandomStream& random, std::size_t count) {
    std::vector<double> sample(count);
    for (double& value : sample)
        value = standard_normal(random);
    return sample;
}

PairedComparison compare_with_zero(const std::vector<double>& differences) {
    return compare_paired(differences, std::vector<double>(differences.size(), 0.0));
}

TEST(StudentTwoSided, IsThatOfScipy) {
    // 2 * scipy.stats.t.sf(t, degrees)
    struct Case {
        double degrees, t, expected;
    };
    for (const auto& [degrees, t, expected] : {Case{1, 0.1, 0.9365489651388929},
                                               {1, 8, 0.07916684832113108},
                                               {2, 2.5, 0.1296117202215108},
                                               {2.5, 1, 0.40406102727827353},
                                               {2.5, 8, 0.007656644131043445},
                                               {9, 0.1, 0.9225364479566812},
                                               {9, 1, 0.34343639613791355},
                                               {9, 2.5, 0.03386182768298571},
                                               {9, 8, 2.213481680940017e-05},
                                               {49, 1, 0.32222340595067556},
                                               {49, 8, 1.9105439552955447e-10},
                                               {99, 2.5, 0.01406259692114906},
                                               {99, 8, 2.4003038210568732e-12},
                                               {250, 2.5, 0.013060882825066114},
                                               {1000, 1, 0.3175524180846726},
                                               {1000, 8, 3.426661482391499e-15}}) {
        SCOPED_TRACE(::testing::Message() << degrees << " degrees, t = " << t);
        expect_relative(student_two_sided(t, degrees), expected, 1e-12);
        EXPECT_EQ(student_two_sided(-t, degrees), student_two_sided(t, degrees));
    }
}

TEST(StudentTwoSided, HasTheClosedFormsOfOneAndTwoDegrees) {
    for (double t = 1e-3; t < 1e4; t *= 1.1) {
        SCOPED_TRACE(t);
        expect_relative(student_two_sided(t, 1), 2 / std::numbers::pi * std::atan(1 / t), 1e-13);
        // 1 - t / sqrt(2 + t^2), without the cancellation
        const double root = std::sqrt(2 + t * t);
        expect_relative(student_two_sided(t, 2), 2 / (root * (root + t)), 1e-13);
    }
}

TEST(StudentTwoSided, FallsFromOneToZero) {
    for (const double degrees : {1.0, 3.0, 30.0, 299.9, 300.1, 5000.0}) {
        EXPECT_EQ(student_two_sided(0, degrees), 1);
        EXPECT_EQ(student_two_sided(infinite, degrees), 0);
        EXPECT_EQ(student_two_sided(1e200, degrees), 0);
        double last = 1;
        for (double t = 0.01; t < 20; t += 0.01) {
            const double tail = student_two_sided(t, degrees);
            ASSERT_LT(tail, last) << "t = " << t << ", " << degrees << " degrees";
            last = tail;
        }
    }
}

TEST(StudentTwoSided, KeepsItsDigitsWhereTheSeriesOfTheGammaFunctionBegins) {
    // mpmath.betainc(d/2, 1/2, 0, d/(d + 1), regularized=True) in 40 digits
    expect_relative(student_two_sided(1, 299.5), 0.31811774870868456, 1e-13);
    expect_relative(student_two_sided(1, 300), 0.31811640443062628, 1e-13);
    expect_relative(student_two_sided(1, 400), 0.31791505643751398, 1e-13);
}

TEST(StudentTwoSided, OfManyDegreesIsNormal) {
    for (const double t : {0.3, 1.0, 1.7, 2.0, 3.0})
        expect_relative(student_two_sided(t, 1e7), std::erfc(t / std::numbers::sqrt2), 1e-5);
}

TEST(StudentTwoSided, OfNotANumberIsNotANumber) {
    EXPECT_TRUE(std::isnan(student_two_sided(not_a_number, 5)));
}

TEST(StudentTwoSided, RejectsDegreesBelowOne) {
    for (const double degrees : {0.0, 0.5, -1.0, infinite, not_a_number}) {
        expect_input_error([=] { student_two_sided(1, degrees); }, {"degrees of freedom", "at least 1"});
        expect_input_error([=] { student_quantile(0.95, degrees); }, {"degrees of freedom", "at least 1"});
    }
}

TEST(StudentQuantile, IsThatOfTheTables) {
    // The root of mpmath.betainc(d/2, 1/2, 0, d/(d + t^2), regularized=True) = 1 - confidence in 40 digits;
    // scipy.stats.t.ppf((1 + confidence) / 2, d) agrees to 3e-9.
    struct Case {
        double confidence, degrees, expected;
    };
    for (const auto& [confidence, degrees, expected] : {Case{0.5, 9, 0.70272214675132637},
                                                        {0.95, 4, 2.7764451051977935},
                                                        {0.95, 9, 2.262157162798205},
                                                        {0.95, 49, 2.0095752371292393},
                                                        {0.95, 99, 1.9842169515864171},
                                                        {0.95, 1000, 1.9623390808264081},
                                                        {0.99, 9, 3.2498355415921257},
                                                        {0.999, 3, 12.923978636687479}}) {
        EXPECT_NEAR(student_quantile(confidence, degrees), expected, 2e-12) << confidence << " " << degrees;
    }
}

TEST(StudentQuantile, HasTheClosedFormsOfOneAndTwoDegrees) {
    for (const double c : {1e-6, 0.1, 0.5, 0.9, 0.95, 0.99, 0.9999}) {
        // To 1e-12, and for the largest in proportion.
        const double one = std::tan(std::numbers::pi * c / 2);
        EXPECT_NEAR(student_quantile(c, 1), one, 1e-12 * (1 + one));
        const double two = c * std::sqrt(2 / ((1 - c) * (1 + c)));
        EXPECT_NEAR(student_quantile(c, 2), two, 1e-12 * (1 + two));
    }
}

TEST(StudentQuantile, IsTheInverseOfTheTails) {
    for (const double degrees : {1.0, 2.5, 7.0, 49.0, 300.0}) {
        for (const double c : {0.01, 0.3, 0.8, 0.95, 0.999999})
            expect_relative(student_two_sided(student_quantile(c, degrees), degrees), 1 - c, 1e-12);
    }
    EXPECT_NEAR(student_quantile(0, 5), 0, 1e-14);
}

TEST(StudentQuantile, RejectsAConfidenceThatIsNoProbabilityBelowOne) {
    for (const double confidence : {-0.1, 1.0, 1.5, not_a_number})
        expect_input_error([=] { student_quantile(confidence, 5); }, {"confidence", "[0, 1)"});
}

TEST(Summarize, IsThatOfScipy) {
    // numpy.mean(v), numpy.std(v, ddof=1), scipy.stats.t.ppf(0.975, 7) * scipy.stats.sem(v)
    const std::vector<double> values{81.5, 82.1, 80.9, 81.8, 82.4, 81.1, 81.9, 82.0};
    const SampleSummary summary = summarize(values);
    EXPECT_EQ(summary.count, 8);
    EXPECT_NEAR(summary.mean, 81.7125, 1e-12);
    EXPECT_NEAR(summary.std, 0.5111262075065222, 1e-12);
    EXPECT_NEAR(summary.ci95, (82.13981220296343 - 81.28518779703656) / 2, 1e-9);
}

TEST(Summarize, OfNoneOneOrEqualValuesHasNoDeviation) {
    EXPECT_EQ(summarize({}).count, 0);
    EXPECT_EQ(summarize({}).mean, 0);
    for (const std::size_t count : {1U, 2U, 3U, 10U, 49U}) {
        const SampleSummary summary = summarize(std::vector<double>(count, 81.7));
        EXPECT_EQ(summary.count, static_cast<int>(count));
        EXPECT_EQ(summary.mean, 81.7);
        EXPECT_EQ(summary.std, 0);
        EXPECT_EQ(summary.ci95, 0);
    }
}

TEST(Summarize, KeepsItsDigitsFarFromZero) {
    const SampleSummary summary = summarize(std::vector<double>{1e9 + 1, 1e9 + 2, 1e9 + 3});
    EXPECT_EQ(summary.mean, 1e9 + 2);
    EXPECT_EQ(summary.std, 1);
}

TEST(Summarize, RejectsWhatIsNotFinite) {
    expect_input_error([] { summarize(std::vector<double>{1, not_a_number}); }, {"run 1", "finite", "nan"});
    expect_input_error([] { summarize(std::vector<double>{infinite}); }, {"run 0", "finite", "inf"});
}

TEST(Summarize, IntervalCoversTheMeanIn95OutOf100Samples) {
    constexpr int samples = 8000;  // 0.24 points of deviation
    for (const std::size_t count : {2U, 5U, 12U}) {
        RandomStream random(7, count);
        int covered = 0;
        for (int i = 0; i < samples; ++i) {
            const SampleSummary summary = summarize(normal_sample(random, count));
            if (std::abs(summary.mean) <= summary.ci95) ++covered;
        }
        EXPECT_NEAR(static_cast<double>(covered) / samples, 0.95, 0.008) << count;
    }
}

TEST(ComparePaired, IsThatOfScipy) {
    // scipy.stats.ttest_rel(values, reference); scipy.stats.t.ppf(0.975, 7) * scipy.stats.sem(differences)
    const std::vector<double> values{81.5, 82.1, 80.9, 81.8, 82.4, 81.1, 81.9, 82.0};
    const std::vector<double> reference{80.2, 81.9, 81.3, 80.7, 81.1, 80.8, 81.2, 81.4};
    const PairedComparison comparison = compare_paired(values, reference);
    EXPECT_NEAR(comparison.mean_difference, 0.6375, 1e-12);
    EXPECT_NEAR(comparison.ci95, 0.49749015342705794, 1e-9);
    EXPECT_NEAR(comparison.p_value, 0.019111734480072744, 1e-12);
    // W = 3 of ranks 1..8 (the tie of the two largest does not matter): scipy.stats.wilcoxon(..,
    // mode="exact")
    EXPECT_NEAR(comparison.wilcoxon_p_value, 0.0390625, 1e-15);
}

TEST(ComparePaired, IsMirroredByASwap) {
    RandomStream random(3, 0);
    for (const std::size_t count : {1U, 2U, 6U, 25U, 26U, 60U}) {
        const std::vector<double> values = normal_sample(random, count);
        const std::vector<double> reference = normal_sample(random, count);
        const PairedComparison one = compare_paired(values, reference);
        const PairedComparison other = compare_paired(reference, values);
        EXPECT_DOUBLE_EQ(one.mean_difference, -other.mean_difference);
        EXPECT_DOUBLE_EQ(one.ci95, other.ci95);
        EXPECT_NEAR(one.p_value, other.p_value, 1e-13);
        EXPECT_DOUBLE_EQ(one.wilcoxon_p_value, other.wilcoxon_p_value);
    }
}

TEST(ComparePaired, IsSignificantExactlyWhereTheIntervalLeavesOutZero) {
    RandomStream random(4, 0);
    int significant = 0;
    for (int i = 0; i < 500; ++i) {
        std::vector<double> differences = normal_sample(random, 8);
        for (double& difference : differences)
            difference += 0.7;
        const PairedComparison comparison = compare_with_zero(differences);
        EXPECT_EQ(comparison.p_value<0.05, std::abs(comparison.mean_difference)> comparison.ci95);
        if (comparison.p_value < 0.05) ++significant;
    }
    EXPECT_GT(significant, 100);
    EXPECT_LT(significant, 400);
}

TEST(ComparePaired, OfEqualsIsOne) {
    const std::vector<double> values{81.5, 80.0, 79.9};
    const PairedComparison comparison = compare_paired(values, values);
    EXPECT_EQ(comparison.mean_difference, 0);
    EXPECT_EQ(comparison.ci95, 0);
    EXPECT_EQ(comparison.p_value, 1);
    EXPECT_EQ(comparison.wilcoxon_p_value, 1);
}

TEST(ComparePaired, OfTheSameDifferenceEverywhereIsZero) {
    const PairedComparison comparison = compare_with_zero({0.3, 0.3, 0.3, 0.3, 0.3});
    EXPECT_EQ(comparison.mean_difference, 0.3);
    EXPECT_EQ(comparison.p_value, 0);
    EXPECT_EQ(comparison.wilcoxon_p_value, 2.0 / 32);  // all five signs the same
}

TEST(ComparePaired, OfASingleRunProvesNothing) {
    const PairedComparison comparison = compare_with_zero({2.5});
    EXPECT_EQ(comparison.mean_difference, 2.5);
    EXPECT_EQ(comparison.ci95, 0);
    EXPECT_EQ(comparison.p_value, 1);
    EXPECT_EQ(comparison.wilcoxon_p_value, 1);
}

TEST(ComparePaired, RejectsUnequalLengthsNoneAndWhatIsNotFinite) {
    const auto compare = [](std::vector<double> values, std::vector<double> reference) {
        return [=] { compare_paired(values, reference); };
    };
    expect_input_error(compare({1, 2}, {1}), {"paired comparison", "got 2 and 1"});
    expect_input_error(compare({}, {}), {"at least 1", "got 0 and 0"});
    expect_input_error(compare({1, infinite}, {1, 2}), {"run 1", "finite", "inf"});
    expect_input_error(compare({1, 2}, {not_a_number, 2}), {"run 0", "finite", "nan"});
}

// Every pattern of signs in turn: the share of those whose sum of positive ranks is at least as far from the
// middle. Ranks by counting: those smaller, plus the middle of those equal.
double wilcoxon_by_enumeration(const std::vector<double>& differences) {
    std::vector<double> sizes, ranks;
    double observed = 0, total = 0;
    for (const double difference : differences) {
        if (difference != 0) sizes.push_back(std::abs(difference));
    }
    for (const double difference : differences) {
        if (difference == 0) continue;
        double smaller = 0, equal = 0;
        for (const double size : sizes) {
            if (size < std::abs(difference)) ++smaller;
            if (size == std::abs(difference)) ++equal;
        }
        ranks.push_back(smaller + (equal + 1) / 2);
        total += ranks.back();
        if (difference > 0) observed += ranks.back();
    }
    const std::uint32_t patterns = 1U << ranks.size();
    std::uint32_t as_far = 0;
    for (std::uint32_t pattern = 0; pattern < patterns; ++pattern) {
        double sum = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            if ((pattern >> i & 1U) != 0) sum += ranks[i];
        }
        if (std::abs(sum - total / 2) >= std::abs(observed - total / 2)) ++as_far;
    }
    return static_cast<double>(as_far) / patterns;
}

TEST(Wilcoxon, ExactIsTheEnumerationOfAllSigns) {
    RandomStream random(5, 0);
    for (int i = 0; i < 200; ++i) {
        // Few sizes make ties and zeros, many make none.
        const std::uint64_t sizes = i % 2 == 0 ? 4 : 1000;
        std::vector<double> differences(1 + random.below(12));
        for (double& difference : differences)
            difference = static_cast<double>(random.below(2 * sizes + 1)) - static_cast<double>(sizes);
        EXPECT_NEAR(compare_with_zero(differences).wilcoxon_p_value, wilcoxon_by_enumeration(differences),
                    1e-15);
    }
}

TEST(Wilcoxon, IsThatOfScipyOnEitherSideOfTheLimit) {
    // x = [-i if i % 3 == 0 else i for i in range(1, n + 1)]; n = 25: scipy.stats.wilcoxon(x, mode="exact"),
    // n = 26: scipy.stats.wilcoxon(x, correction=True, mode="approx")
    std::vector<double> differences;
    for (int i = 1; i <= 25; ++i)
        differences.push_back(i % 3 == 0 ? -i : i);
    expect_relative(compare_with_zero(differences).wilcoxon_p_value, 0.14847958087921143, 1e-12);
    differences.push_back(26);
    expect_relative(compare_with_zero(differences).wilcoxon_p_value, 0.08881828327172404, 1e-12);
}

TEST(Wilcoxon, NormalWithTiesAndZerosIsThatOfScipy) {
    // scipy.stats.wilcoxon([i * 29 % 17 - 6 for i in range(40)], correction=True, mode="approx")
    std::vector<double> differences;
    for (int i = 0; i < 40; ++i)
        differences.push_back(i * 29 % 17 - 6);
    expect_relative(compare_with_zero(differences).wilcoxon_p_value, 0.027762464998874876, 1e-12);
    // scipy.stats.wilcoxon([1.0] * 30, correction=True, mode="approx")
    expect_relative(compare_with_zero(std::vector<double>(30, 1.0)).wilcoxon_p_value, 4.617427956906429e-08,
                    1e-12);
}

TEST(Wilcoxon, OfBalancedSignsIsOne) {
    for (const int pairs : {1, 5, 30}) {
        std::vector<double> differences;
        for (int i = 0; i < pairs; ++i)
            differences.insert(differences.end(), {1.0, -1.0});
        EXPECT_EQ(compare_with_zero(differences).wilcoxon_p_value, 1) << pairs;
    }
}

TEST(Wilcoxon, ZeroDifferencesDoNotCountAgainstTheLimit) {
    std::vector<double> differences{1, 2, 3, 4, 5, 6};
    differences.resize(60, 0.0);
    EXPECT_EQ(compare_with_zero(differences).wilcoxon_p_value, 2.0 / 64);
}

TEST(Wilcoxon, RoundingDoesNotBreakTies) {
    // Differences of 0.3, -0.3, 0.3, -0.3, 0.1, 0.6, each with other last bits.
    const std::vector<double> values{81.5, 80.0, 0.3, 70.1, 0.7, 90.7};
    const std::vector<double> reference{81.2, 80.3, 0.0, 70.4, 0.6, 90.1};
    ASSERT_NE(values[0] - reference[0], values[2] - reference[2]);
    EXPECT_EQ(compare_paired(values, reference).wilcoxon_p_value,
              compare_with_zero({3, -3, 3, -3, 1, 6}).wilcoxon_p_value);
}

TEST(Wilcoxon, RejectsATrueHypothesisAboutAsOftenAsItSays) {
    RandomStream random(6, 0);
    for (const std::size_t count : {15U, 40U}) {
        int rejected = 0;
        for (int i = 0; i < 4000; ++i) {
            if (compare_with_zero(normal_sample(random, count)).wilcoxon_p_value <= 0.05) ++rejected;
        }
        EXPECT_NEAR(rejected / 4000.0, 0.05, 0.012) << count;
    }
}

TEST(ShareInterval, IsWilsons) {
    // statsmodels' proportion_confint(8, 10, method="wilson") is 0.4901625, 0.9433178
    const ShareInterval eight = share_interval(0.8, 10);
    EXPECT_NEAR(eight.low, 0.49016, 1e-4);
    EXPECT_NEAR(eight.high, 0.94332, 1e-4);
    EXPECT_EQ(share_interval(1.0, 5).high, 1.0);
    EXPECT_GT(share_interval(1.0, 5).low, 0.5);
    EXPECT_EQ(share_interval(0.0, 5).low, 0.0);
    EXPECT_EQ(share_interval(0.5, 0).low, 0.0);
    EXPECT_EQ(share_interval(0.5, 0).high, 1.0);
}

}  // namespace
}  // namespace hwgcn::statistics_test
