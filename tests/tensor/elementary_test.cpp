#include "tensor/elementary.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"

namespace hwgcn::elementary_test {
namespace {

TEST(Elementary, TheExponentialAgreesWithTheLibraryToTheLastDigits) {
    RandomStream random(1, 0);
    for (int k = 0; k < 100000; ++k) {
        const double x = -708.0 + 1416.0 * random.uniform();
        EXPECT_NEAR(exponential(x) / std::exp(x), 1.0, 1e-15) << x;
    }
    EXPECT_EQ(exponential(0.0), 1.0);
    EXPECT_EQ(exponential(-1e9), 0.0);
    EXPECT_NEAR(exponential(1e-20), 1.0, 1e-16);
}

TEST(Elementary, TheLogarithmAgreesWithTheLibraryToTheLastDigits) {
    RandomStream random(2, 0);
    for (int k = 0; k < 100000; ++k) {
        const double x = std::ldexp(0.5 + random.uniform(), static_cast<int>(random.below(1900)) - 950);
        EXPECT_NEAR(logarithm(x), std::log(x), 1e-15 * std::max(1.0, std::abs(std::log(x)))) << x;
    }
    EXPECT_EQ(logarithm(1.0), 0.0);
}

}  // namespace
}  // namespace hwgcn::elementary_test
