#include "choice/expected_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"

namespace hwgcn::expected_accuracy_test {
namespace {

// Candidates that are right about each node with the same probability, each by its own luck.
std::vector<HeldOutAnswers> equally_good(std::size_t candidates, std::size_t nodes, double accuracy,
                                         RandomStream& random) {
    std::vector<HeldOutAnswers> all(candidates);
    for (HeldOutAnswers& one : all) {
        for (std::size_t i = 0; i < nodes; ++i) {
            one.right.push_back(random.uniform() < accuracy ? 1.0F : 0.0F);
            one.loss.push_back(1 - one.right.back());
        }
    }
    return all;
}

double accuracy_of(const HeldOutAnswers& one) {
    return std::accumulate(one.right.begin(), one.right.end(), 0.0) / static_cast<double>(one.right.size());
}

std::size_t best_of(const std::vector<HeldOutAnswers>& all) {
    return static_cast<std::size_t>(std::ranges::max_element(all, {}, accuracy_of) - all.begin());
}

TEST(ExpectedAccuracy, OneCandidateHasTheIntervalOfAShare) {
    RandomStream random(1, 0);
    const std::vector<HeldOutAnswers> one = equally_good(1, 50, 0.8, random);
    const ShareInterval expected = share_interval(accuracy_of(one.front()), 50);
    const ShareInterval found = expected_accuracy(one, 0, {}, 3);
    EXPECT_EQ(found.low, expected.low);
    EXPECT_EQ(found.high, expected.high);
}

// The same answers from all leave nothing to choose.
TEST(ExpectedAccuracy, EqualAnswersAreNoLuck) {
    RandomStream random(2, 0);
    const std::vector<HeldOutAnswers> all(5, equally_good(1, 40, 0.7, random).front());
    EXPECT_LT(optimism_of_choice(all, {}, 3), 0.005);
    const double draws = 100;  // the mean over resamples of one share has this error
    EXPECT_LT(optimism_of_choice(all, {0, true}, 3), 3 * std::sqrt(0.7 * 0.3 / 40 / draws));
}

// The best of twelve equals is about 1.6 standard errors better than the truth on the nodes that chose it.
TEST(ExpectedAccuracy, TheTruthIsInItWhereTheBestOfManyIsTaken) {
    constexpr double truth = 0.7;
    constexpr int tries = 300;
    RandomStream random(7, 0);
    int covered = 0, covered_without = 0;
    double optimism = 0, luck = 0;
    for (int one = 0; one < tries; ++one) {
        const std::vector<HeldOutAnswers> all = equally_good(12, 80, truth, random);
        const std::size_t best = best_of(all);
        const ShareInterval found = expected_accuracy(all, best, {0, false}, static_cast<std::uint64_t>(one));
        const ShareInterval plain = share_interval(accuracy_of(all[best]), 80);
        covered += found.low <= truth && truth <= found.high ? 1 : 0;
        covered_without += plain.low <= truth && truth <= plain.high ? 1 : 0;
        optimism += optimism_of_choice(all, {0, false}, static_cast<std::uint64_t>(one)) / tries;
        luck += (accuracy_of(all[best]) - truth) / tries;
    }
    EXPECT_GE(covered, 0.90 * tries);
    EXPECT_LT(covered_without, covered);
    EXPECT_NEAR(optimism, luck, 0.4 * luck);
}

// Who is preferred among equals is taken whatever the best one has: there is less luck in it.
TEST(ExpectedAccuracy, PreferenceAmongEqualsNeedsLessCorrection) {
    RandomStream random(9, 0);
    double best = 0, preferred = 0;
    for (std::uint64_t one = 0; one < 20; ++one) {
        const std::vector<HeldOutAnswers> all = equally_good(8, 60, 0.6, random);
        best += optimism_of_choice(all, {0, false}, one);
        preferred += optimism_of_choice(all, {1, false}, one);
    }
    EXPECT_LT(preferred, best);
}

}  // namespace
}  // namespace hwgcn::expected_accuracy_test
