#include "hwgcn/metrics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {
namespace {

void require_finite(std::span<const double> values) {
    for (std::size_t run = 0; run < values.size(); ++run) {
        if (std::isfinite(values[run])) continue;
        throw InputError(fmt::format("run {}: expected a finite number, got {}", run, values[run]));
    }
}

void require_degrees(double degrees) {
    if (degrees >= 1 && std::isfinite(degrees)) return;
    throw InputError(fmt::format("degrees of freedom: expected a number of at least 1, got {}", degrees));
}

// Gamma(a + 1/2) / Gamma(a). From a = 150 on by Stirling's series, whose next term is 2e-14 there and which,
// unlike the difference of two logarithms, loses no digits however large a is.
double gamma_ratio(double a) {
    if (a < 150) return std::tgamma(a + 0.5) / std::tgamma(a);
    const double r = 1 / a;
    return std::sqrt(a) * (1 + r * (-1.0 / 8 + r * (1.0 / 128 + r * (5.0 / 1024 - r * 21.0 / 32768))));
}

// The continued fraction of the incomplete beta function,
//     I_x(a, b) = x^a (1-x)^b / (a B(a, b)) * 1/(1 + d_1/(1 + d_2/(1 + ...))),
//     d_2m = m (b-m) x / ((a+2m-1) (a+2m)),    d_2m+1 = -(a+m) (a+b+m) x / ((a+2m) (a+2m+1)),
// that is, 1/(1 + d_1/..), for x below (a+1) / (a+b+2), where it converges fast: in fewer than 150 terms
// for a or b = 1/2. Lentz: with A_j / B_j the j-th convergent of 1 + d_1/.., `numerator` = A_j / A_j-1 and
// `denominator` = B_j-1 / B_j follow short recurrences of their own, and their product leads from one
// convergent to the next without ever overflowing.
double beta_fraction(double a, double b, double x) {
    const auto away_from_zero = [](double number) { return std::abs(number) < 1e-300 ? 1e-300 : number; };
    double value = 1, numerator = 1, denominator = 0;
    const auto change_by_term = [&](double d) {
        numerator = away_from_zero(1 + d / numerator);
        denominator = 1 / away_from_zero(1 + d * denominator);
        value *= numerator * denominator;
        return std::abs(numerator * denominator - 1);
    };
    change_by_term(-(a + b) * x / (a + 1));
    // Judged after odd terms only: the even ones are tiny from the start where a is large.
    double change = 1;
    for (int m = 1; m < 1000 && change > std::numeric_limits<double>::epsilon(); ++m) {
        change_by_term(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
        change = change_by_term(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    }
    return 1 / value;
}

// What the signed-rank test knows of the differences: the ranks of their sizes, doubled so that the average
// rank of ties is a whole number, and the sum of those that belong to positive differences.
struct SignedRanks {
    std::vector<std::int64_t> doubled;
    std::int64_t positive = 0;

    std::int64_t total() const { return std::accumulate(doubled.begin(), doubled.end(), std::int64_t{0}); }
};

// Differences whose sizes are within `tolerance` of the smallest of them are ties; those within it of zero
// are left out.
SignedRanks rank_differences(std::vector<double> differences, double tolerance) {
    std::erase_if(differences, [=](double difference) { return std::abs(difference) <= tolerance; });
    std::sort(differences.begin(), differences.end(),
              [](double a, double b) { return std::abs(a) < std::abs(b); });
    SignedRanks ranks;
    for (std::size_t first = 0, end = 0; first < differences.size(); first = end) {
        const double limit = std::abs(differences[first]) + tolerance;
        while (end < differences.size() && std::abs(differences[end]) <= limit)
            ++end;
        // Ranks first+1 .. end, so twice their average is first + 1 + end.
        const auto doubled = static_cast<std::int64_t>(first + 1 + end);
        for (std::size_t i = first; i < end; ++i) {
            ranks.doubled.push_back(doubled);
            if (differences[i] > 0) ranks.positive += doubled;
        }
    }
    return ranks;
}

// Under the hypothesis every rank is positive or negative with probability 1/2, on its own: counts the
// patterns of signs by their sum. The distribution is symmetric, so both tails are twice the lower one.
double exact_signed_rank(const SignedRanks& ranks) {
    const std::int64_t total = ranks.total();
    std::vector<double> patterns(static_cast<std::size_t>(total) + 1, 0.0);  // by the sum of positive ranks
    patterns[0] = 1;
    for (const std::int64_t rank : ranks.doubled) {
        for (std::int64_t sum = total; sum >= rank; --sum)
            patterns[sum] += patterns[sum - rank];
    }
    const std::int64_t smaller = std::min(ranks.positive, total - ranks.positive);
    const double tail = std::accumulate(patterns.begin(), patterns.begin() + smaller + 1, 0.0);
    return std::min(1.0, 2 * std::ldexp(tail, -static_cast<int>(ranks.doubled.size())));
}

// The sum of positive ranks r has mean (sum of r)/2 and variance (sum of r^2)/4: with average ranks in place
// this is the variance with the correction for ties. 1/2 is the correction for continuity. All here doubled.
double normal_signed_rank(const SignedRanks& ranks) {
    double variance = 0;
    for (const std::int64_t rank : ranks.doubled)
        variance += static_cast<double>(rank) * static_cast<double>(rank) / 4;
    const double mean = static_cast<double>(ranks.total()) / 2;
    const double distance = std::max(0.0, std::abs(static_cast<double>(ranks.positive) - mean) - 1);
    return std::erfc(distance / std::sqrt(2 * variance));
}

double signed_rank_p_value(const SignedRanks& ranks) {
    constexpr std::size_t most_for_exact = 25;
    return ranks.doubled.size() <= most_for_exact ? exact_signed_rank(ranks) : normal_signed_rank(ranks);
}

double paired_t_p_value(const SampleSummary& differences) {
    if (differences.count < 2 || differences.mean == 0) return 1;
    if (differences.std == 0) return 0;
    return student_two_sided(differences.mean * std::sqrt(differences.count) / differences.std,
                             differences.count - 1);
}

}  // namespace

SampleSummary summarize(std::span<const double> values) {
    require_finite(values);
    if (values.empty()) return {};
    const auto count = static_cast<double>(values.size());
    // Measured from the first value: equal values have exactly their own mean and no deviation.
    double sum = 0;
    for (const double value : values)
        sum += value - values[0];
    SampleSummary summary{.count = static_cast<int>(values.size()), .mean = values[0] + sum / count};
    if (values.size() == 1) return summary;

    double squares = 0;
    for (const double value : values)
        squares += (value - summary.mean) * (value - summary.mean);
    summary.std = std::sqrt(squares / (count - 1));
    summary.ci95 = student_quantile(0.95, count - 1) * summary.std / std::sqrt(count);
    return summary;
}

ShareInterval share_interval(double share, std::int64_t count) {
    if (count <= 0) return {};
    constexpr double z = 1.96;
    const auto n = static_cast<double>(count);
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

double roc_auc_error(double auc, std::span<const std::int64_t> class_counts) {
    double all = 0;
    for (const std::int64_t count : class_counts)
        all += static_cast<double>(count);
    // A ranking the other way round is as uncertain.
    const double a = std::max(auc, 1 - auc);
    const double two_positives = a / (2 - a) - a * a;  // both before the same negative; and so on
    const double two_negatives = 2 * a * a / (1 + a) - a * a;
    double variances = 0;
    int told = 0;
    for (const std::int64_t count : class_counts) {
        const auto positives = static_cast<double>(count);
        const double negatives = all - positives;
        if (positives == 0 || negatives == 0) continue;
        variances += (a * (1 - a) + (positives - 1) * two_positives + (negatives - 1) * two_negatives) /
                     (positives * negatives);
        ++told;
    }
    if (told == 0) return 0;
    // Two classes are told apart once, not twice.
    return std::sqrt(std::max(0.0, variances)) / (told == 2 ? std::sqrt(2.0) : told);
}

double roc_auc_upper(double auc, std::span<const std::int64_t> class_counts) {
    constexpr double z = 1.96;
    return auc + z * std::max(roc_auc_error(auc, class_counts), roc_auc_error(0.5, class_counts));
}

PairedComparison compare_paired(std::span<const double> values, std::span<const double> reference) {
    if (values.size() != reference.size() || values.empty()) {
        throw InputError(
            fmt::format("paired comparison: expected as many values as references, at least 1, "
                        "got {} and {}",
                        values.size(), reference.size()));
    }
    require_finite(values);
    require_finite(reference);
    std::vector<double> differences;
    double largest = 0;
    for (std::size_t run = 0; run < values.size(); ++run) {
        differences.push_back(values[run] - reference[run]);
        largest = std::max({largest, std::abs(values[run]), std::abs(reference[run])});
    }
    const SampleSummary summary = summarize(differences);
    // Accuracies are multiples of 1/nodes, so ties are frequent; rounding (81.5 - 81.2 against 80.3 - 80.0)
    // must not break them.
    const double rounding = 8 * std::numeric_limits<double>::epsilon() * largest;
    const SignedRanks ranks = rank_differences(std::move(differences), rounding);
    return {.mean_difference = summary.mean,
            .ci95 = summary.ci95,
            .p_value = paired_t_p_value(summary),
            .wilcoxon_p_value = signed_rank_p_value(ranks)};
}

// P(|T| > t) = I_x(a, 1/2) with a = degrees/2 and x = degrees / (degrees + t^2). Where its fraction converges
// slowly, by I_x(a, b) = 1 - I_y(b, a), y = 1 - x. Both share x^a y^(1/2) / B(a, 1/2), in which
// 1/B(a, 1/2) = Gamma(a + 1/2) / (Gamma(a) sqrt(pi)).
double student_two_sided(double t, double degrees) {
    require_degrees(degrees);
    const double squared = t * t;
    if (std::isinf(squared)) return 0;
    const double a = degrees / 2;
    const double b = 0.5;
    const double x = degrees / (degrees + squared);
    const double y = squared / (degrees + squared);
    const double power = std::exp(-a * std::log1p(squared / degrees));  // x^a, accurate for x close to 1, too
    const double factor = power * std::sqrt(y) * gamma_ratio(a) * std::numbers::inv_sqrtpi;
    return x < (a + 1) / (a + b + 2) ? factor / a * beta_fraction(a, b, x)
                                     : 1 - factor / b * beta_fraction(b, a, y);
}

double student_quantile(double confidence, double degrees) {
    require_degrees(degrees);
    if (!(confidence >= 0 && confidence < 1))
        throw InputError(fmt::format("confidence: expected a number in [0, 1), got {}", confidence));
    const double outside = 1 - confidence;
    double low = 0, high = 1;
    while (student_two_sided(high, degrees) > outside)
        high *= 2;
    while (high - low > 1e-15 * (1 + high)) {
        const double middle = low + (high - low) / 2;
        (student_two_sided(middle, degrees) > outside ? low : high) = middle;
    }
    return high;
}

}  // namespace hwgcn
