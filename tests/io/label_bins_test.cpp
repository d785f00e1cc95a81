#include "io/csv/label_bins.hpp"

#include <cmath>
#include <limits>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/dataset/dataset.hpp"

#include "io/expect_input_error.hpp"

namespace hwgcn::label_bins_test {
namespace {

using testing::expect_input_error;
using Names = std::vector<std::string>;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

TEST(LabelBins, RangesHaveAsManyNodesEachAndAscend) {
    const EncodedLabels binned = bin_labels({30, 1, 2.5, 12.5, 40, 2, 50, 31, 13}, 3);
    EXPECT_EQ(binned.class_names, (Names{"1..2.5", "12.5..30", "31..50"}));
    EXPECT_EQ(binned.labels, (std::vector<Index>{1, 0, 0, 1, 2, 0, 2, 2, 1}));
}

TEST(LabelBins, WhatIsNotKnownHasNoRange) {
    const EncodedLabels binned = bin_labels({unknown, 1, 2, unknown}, 2);
    EXPECT_EQ(binned.class_names, (Names{"1", "2"}));
    EXPECT_EQ(binned.labels, (std::vector<Index>{unlabelled, 0, 1, unlabelled}));
    EXPECT_TRUE(bin_labels({unknown, unknown}, 2).class_names.empty());
    EXPECT_TRUE(bin_labels({}, 2).labels.empty());
}

TEST(LabelBins, EqualNumbersStayTogether) {
    // Six zeros of ten: no cut can be before the sixth, and the two that would be there are one.
    const EncodedLabels binned = bin_labels({0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, 4);
    EXPECT_EQ(binned.class_names, (Names{"0", "1", "2..4"}));
    EXPECT_EQ(bin_labels({7, 7, 7}, 2).class_names, (Names{"7"}));
}

TEST(LabelBins, FewDifferentNumbersAreARangeEach) {
    const std::vector<double> ratings = {1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5};
    EXPECT_EQ(bin_labels(ratings, 5).class_names, (Names{"1", "2", "3", "4", "5"}));
    EXPECT_EQ(bin_labels(ratings, 1000).class_names.size(), 5U);
}

TEST(LabelBins, ExtremeNumbersAreNumbers) {
    const double largest = std::numeric_limits<double>::max();
    const EncodedLabels binned = bin_labels({-largest, largest, 5e-324, -1}, 2);
    EXPECT_EQ(binned.labels, (std::vector<Index>{0, 1, 1, 0}));
}

RC_GTEST_PROP(LabelBins, EveryNumberIsInTheRangeThatNamesIt, ()) {
    const auto numbers = *rc::gen::container<std::vector<double>>(
        rc::gen::map(rc::gen::inRange(-20, 20), [](int number) { return number / 4.0; }));
    const int bins = *rc::gen::inRange(2, 12);
    const EncodedLabels binned = bin_labels(numbers, bins);
    RC_ASSERT(binned.labels.size() == numbers.size());
    RC_ASSERT(static_cast<int>(binned.class_names.size()) <= bins);
    std::map<Index, std::pair<double, double>> reach;
    for (std::size_t node = 0; node < numbers.size(); ++node) {
        auto& [least, largest] =
            reach.try_emplace(binned.labels[node], numbers[node], numbers[node]).first->second;
        least = std::min(least, numbers[node]);
        largest = std::max(largest, numbers[node]);
    }
    RC_ASSERT(reach.size() == binned.class_names.size());  // none is empty
    double before = -std::numeric_limits<double>::infinity();
    for (const auto& [range, ends] : reach) {
        RC_ASSERT(before < ends.first);  // they do not overlap
        before = ends.second;
        const std::string& name = binned.class_names[range];
        RC_ASSERT(std::stod(name) == ends.first);
        const std::size_t dots = name.find("..");
        RC_ASSERT((dots == std::string::npos) == (ends.first == ends.second));
        if (dots != std::string::npos) RC_ASSERT(std::stod(name.substr(dots + 2)) == ends.second);
    }
}

TEST(LabelBins, TheNumberOfRangesIsChecked) {
    EXPECT_EQ(parse_bins("2"), 2);
    EXPECT_EQ(parse_bins("1000"), 1000);
    for (const char* const text : {"1", "0", "-3", "1001", "five", "2.5", "", "99999999999999999999"})
        expect_input_error([&] { parse_bins(text); }, {"`bins`: expected a whole number in 2..1000"});
}

}  // namespace
}  // namespace hwgcn::label_bins_test
