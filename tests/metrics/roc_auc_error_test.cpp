#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/metrics/statistics.hpp"

namespace hwgcn::roc_auc_error_test {
namespace {

// The example of Hanley and McNeil (1982): 51 and 58 images, area 0.893, standard error 0.032.
TEST(RocAucError, IsThatOfHanleyAndMcNeil) {
    const std::vector<std::int64_t> images = {51, 58};
    EXPECT_NEAR(roc_auc_error(0.893, images), 0.032, 0.001);
    EXPECT_DOUBLE_EQ(roc_auc_error(0.107, images), roc_auc_error(0.893, images));
    EXPECT_EQ(roc_auc_error(1.0, images), 0);
    EXPECT_EQ(roc_auc_error(0.7, std::vector<std::int64_t>{0, 9}), 0) << "there is one class";
    EXPECT_EQ(roc_auc_error(0.7, {}), 0);
}

// Of three classes, each is told from the others: less is known of one than of their mean.
TEST(RocAucError, IsSmallerForTheMeanOverMoreClasses) {
    const double two = roc_auc_error(0.8, std::vector<std::int64_t>{20, 40});
    const double three = roc_auc_error(0.8, std::vector<std::int64_t>{20, 20, 20});
    EXPECT_LT(three, two);
    EXPECT_GT(three, two / 2);
}

TEST(RocAucUpper, LiesBelowChanceOnlyWhereEnoughNodesSaySo) {
    EXPECT_LT(roc_auc_upper(0.2, std::vector<std::int64_t>{20, 200}), 0.5);
    EXPECT_GT(roc_auc_upper(0.4, std::vector<std::int64_t>{20, 200}), 0.5);
    EXPECT_GT(roc_auc_upper(0.0, std::vector<std::int64_t>{1, 20}), 0.5) << "one node proves nothing";
}

}  // namespace
}  // namespace hwgcn::roc_auc_error_test
