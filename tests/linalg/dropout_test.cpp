#include "linalg/dropout.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace hwgcn::drop_mask_test {
namespace {

std::vector<int> bits_of(const DropMask& mask, std::size_t count) {
    std::vector<int> bits(count);
    for (std::size_t k = 0; k < count; ++k)
        bits[k] = static_cast<int>(mask.bits[k / 64] >> k % 64 & 1);
    return bits;
}

TEST(DropMask, KeepsTheRightShareForAnyRate) {
    constexpr std::size_t count = 400000;
    for (const double rate : {0.1, 0.25, 0.5, 0.6, 0.75, 0.9, 0.99}) {
        Workspace workspace;
        const DropMask mask = draw_mask(workspace, count, rate, RandomStream(7, 1));
        double kept = 0;
        for (const int bit : bits_of(mask, count))
            kept += bit;
        // Five standard deviations of a binomial share.
        EXPECT_NEAR(kept / count, 1.0 - rate, 5.0 * std::sqrt(rate * (1.0 - rate) / count)) << rate;
        EXPECT_NEAR(mask.scale, 1.0 / (1.0 - rate), 1e-5) << rate;
    }
}

TEST(DropMask, ARateTooSmallForItsDigitsDropsNothing) {
    Workspace workspace;
    const DropMask mask = draw_mask(workspace, 1000, 1e-12, RandomStream(1, 1));
    EXPECT_EQ(mask.scale, 1.0F);
    EXPECT_EQ(bits_of(mask, 1000), std::vector<int>(1000, 1));
}

TEST(DropMask, NeighbouringBitsAreIndependent) {
    constexpr std::size_t count = 400000;
    for (const double rate : {0.5, 0.6}) {
        Workspace workspace;
        const std::vector<int> bits = bits_of(draw_mask(workspace, count, rate, RandomStream(8, 1)), count);
        for (const std::size_t lag : {std::size_t{1}, std::size_t{2}, std::size_t{63}, std::size_t{64}}) {
            double both = 0;
            for (std::size_t k = lag; k < count; ++k)
                both += bits[k] * bits[k - lag];
            EXPECT_NEAR(both / count, (1.0 - rate) * (1.0 - rate), 0.004) << rate << " lag " << lag;
        }
    }
}

TEST(DropMask, IsAFunctionOfItsStreamAlone) {
    Workspace workspace;
    const std::vector<int> first = bits_of(draw_mask(workspace, 1000, 0.6, RandomStream(1, 2)), 1000);
    draw_mask(workspace, 333, 0.5, RandomStream(9, 9));
    EXPECT_EQ(bits_of(draw_mask(workspace, 1000, 0.6, RandomStream(1, 2)), 1000), first);
    EXPECT_NE(bits_of(draw_mask(workspace, 1000, 0.6, RandomStream(1, 3)), 1000), first);
    EXPECT_NE(bits_of(draw_mask(workspace, 1000, 0.6, RandomStream(2, 2)), 1000), first);
    // A longer mask begins like a shorter one.
    const std::vector<int> longer = bits_of(draw_mask(workspace, 5000, 0.6, RandomStream(1, 2)), 5000);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), longer.begin()));
}

}  // namespace
}  // namespace hwgcn::drop_mask_test
