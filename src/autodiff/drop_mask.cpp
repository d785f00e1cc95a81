#include "autodiff/drop_mask.hpp"

#include <algorithm>
#include <cmath>

namespace hwgcn {
namespace {

// 64 comparisons U < p at once. Each draw is one binary digit of 64 uniform numbers U, the highest digit
// first: where the digits of U and p differ, the comparison is decided. Half of the numbers are decided by
// each draw, so about seven are enough; p = 1/2 needs only one.
std::uint64_t less_than(std::uint32_t p, RandomStream& random) {
    std::uint64_t less = 0;
    std::uint64_t undecided = ~std::uint64_t{0};
    while (p != 0 && undecided != 0) {
        const std::uint64_t digits = random.bits();
        if ((p & 0x80000000U) != 0) {
            less |= undecided & ~digits;
            undecided &= digits;
        } else {
            undecided &= ~digits;
        }
        p <<= 1;
    }
    return less;
}

}  // namespace

DropMask draw_mask(Workspace& workspace, std::size_t count, double rate, RandomStream random) {
    const std::span<std::uint64_t> bits = workspace.words(count / 64 + 2);
    const std::int64_t share = std::llround((1.0 - rate) * 0x1.0p32);
    if (share == std::int64_t{1} << 32) {  // a rate too small for the digits
        std::fill(bits.begin(), bits.end(), ~std::uint64_t{0});
        return {bits, 1.0F};
    }
    const auto keep = static_cast<std::uint32_t>(share);
    for (std::uint64_t& word : bits)
        word = less_than(keep, random);
    return {bits, static_cast<float>(0x1.0p32 / keep)};
}

}  // namespace hwgcn
