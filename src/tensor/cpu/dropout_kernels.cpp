#include "tensor/cpu/dropout_kernels.hpp"

#include <algorithm>
#include <bit>

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/dropout_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint32_t>;
using Vector = hn::Vec<Words>;

// Both halves of the products of 32-bit numbers.
HWY_INLINE void multiply(Vector a, Vector b, Vector& high, Vector& low) {
    const Words d;
#if HWY_TARGET == HWY_SCALAR  // a single lane
    const std::uint64_t product = std::uint64_t{hn::GetLane(a)} * hn::GetLane(b);
    high = hn::Set(d, static_cast<std::uint32_t>(product >> 32));
    low = hn::Set(d, static_cast<std::uint32_t>(product));
#else
    const hn::Repartition<std::uint64_t, Words> wide;
    const auto even = hn::MulEven(a, b);
    const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
    const auto high_half = hn::Set(wide, 0xFFFFFFFF00000000U);
    high = hn::BitCast(d, hn::Or(hn::ShiftRight<32>(even), hn::And(odd, high_half)));
    low = hn::BitCast(d, hn::Or(hn::AndNot(high_half, even), hn::ShiftLeft<32>(odd)));
#endif
}

// Philox 4x32-10 (Salmon et al. 2011), one counter per lane.
struct Counters {
    Vector c0, c1, c2, c3;
};
HWY_INLINE Counters philox(Counters c, std::uint32_t key0, std::uint32_t key1) {
    const Words d;
    const auto m0 = hn::Set(d, 0xD2511F53U);
    const auto m1 = hn::Set(d, 0xCD9E8D57U);
    for (int round = 0; round < 10; ++round) {
        Vector high0, low0, high1, low1;
        multiply(c.c0, m0, high0, low0);
        multiply(c.c2, m1, high1, low1);
        c = {hn::Xor(hn::Xor(high1, c.c1), hn::Set(d, key0)), low1,
             hn::Xor(hn::Xor(high0, c.c3), hn::Set(d, key1)), low0};
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    return c;
}

// One more binary digit of U and of p, from the lowest up: a digit of U below that of p makes U < p, one
// above it does not, and equal ones leave it to the digits below.
HWY_INLINE Vector less_with(Vector less, Vector digit_of_u, bool digit_of_p) {
    return digit_of_p ? hn::Or(less, hn::Not(digit_of_u)) : hn::AndNot(digit_of_u, less);
}

void DrawWords(const MaskStream& mask, std::uint32_t keep, std::size_t first, std::size_t count,
               std::uint64_t* HWY_RESTRICT out) {
    const Words d;
    const int skipped = std::countr_zero(keep);
    const int digits = 16 - skipped;
    const int blocks = (digits + 1) / 2;
    const auto key0 = static_cast<std::uint32_t>(mask.seed);
    const auto key1 = static_cast<std::uint32_t>(mask.seed >> 32);
    HWY_ALIGN std::uint32_t halves[2 * hn::MaxLanes(d)];
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto word = hn::Iota(d, static_cast<std::uint32_t>(first + k));
        Vector low = hn::Zero(d), high = hn::Zero(d);
        for (int b = 0; b < blocks; ++b) {
            const auto place = hn::Add(hn::Mul(word, hn::Set(d, static_cast<std::uint32_t>(blocks))),
                                       hn::Set(d, static_cast<std::uint32_t>(b)));
            const Counters drawn =
                philox({place, hn::Set(d, mask.block), hn::Set(d, static_cast<std::uint32_t>(mask.stream)),
                        hn::Set(d, static_cast<std::uint32_t>(mask.stream >> 32))},
                       key0, key1);
            const bool first_digit = (keep >> (skipped + 2 * b) & 1) != 0;
            low = less_with(low, drawn.c0, first_digit);
            high = less_with(high, drawn.c1, first_digit);
            if (2 * b + 1 == digits) break;
            const bool second_digit = (keep >> (skipped + 2 * b + 1) & 1) != 0;
            low = less_with(low, drawn.c2, second_digit);
            high = less_with(high, drawn.c3, second_digit);
        }
        hn::StoreInterleaved2(low, high, d, halves);
        for (std::size_t lane = 0; lane < std::min(hn::Lanes(d), count - k); ++lane)
            out[k + lane] = std::uint64_t{halves[2 * lane + 1]} << 32 | halves[2 * lane];
    }
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(DrawWords);

void draw_words(const MaskStream& mask, std::uint32_t keep, std::size_t first, std::size_t count,
                std::uint64_t* out) {
    HWY_DYNAMIC_DISPATCH(DrawWords)(mask, keep, first, count, out);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
