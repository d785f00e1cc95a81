#include "base/peak_memory.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace hwgcn::peak_memory_test {
namespace {

TEST(PeakMemory, GrowsWithWhatIsHeldAndStaysWhenItIsGivenBack) {
    const double before = peak_megabytes();
    EXPECT_GT(before, 1);
    const auto hold = [](std::size_t megabytes) {
        std::vector<char> held(megabytes << 20U, 1);
        return held[held.size() / 2];
    };
    EXPECT_EQ(hold(static_cast<std::size_t>(before) + 64), 1);
    const double after = peak_megabytes();
    EXPECT_GT(after, before + 32);
    EXPECT_GE(peak_megabytes(), after);
}

}  // namespace
}  // namespace hwgcn::peak_memory_test
