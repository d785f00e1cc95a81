#include "tensor/dropout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "instruction_sets.hpp"
#include "tensor/cpu/dropout_kernels.hpp"

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
        const DropMask mask = draw_mask(workspace, count, rate, MaskStream{7, 1});
        double kept = 0;
        for (const int bit : bits_of(mask, count))
            kept += bit;
        // Five standard deviations of a binomial share.
        EXPECT_NEAR(kept / count, 1.0 - rate, 1e-5 + 5.0 * std::sqrt(rate * (1.0 - rate) / count)) << rate;
        EXPECT_NEAR(mask.scale * (1.0 - rate), 1.0, 0x1.0p-17 / (1.0 - rate)) << rate << ", to 16 digits";
    }
}

TEST(DropMask, ARateTooSmallForItsDigitsDropsNothing) {
    Workspace workspace;
    const DropMask mask = draw_mask(workspace, 1000, 1e-12, MaskStream{1, 1});
    EXPECT_EQ(mask.scale, 1.0F);
    EXPECT_EQ(bits_of(mask, 1000), std::vector<int>(1000, 1));
}

TEST(DropMask, NeighboringBitsAreIndependent) {
    constexpr std::size_t count = 400000;
    for (const double rate : {0.5, 0.6}) {
        Workspace workspace;
        const std::vector<int> bits = bits_of(draw_mask(workspace, count, rate, MaskStream{8, 1}), count);
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
    const std::vector<int> first = bits_of(draw_mask(workspace, 1000, 0.6, MaskStream{1, 2}), 1000);
    draw_mask(workspace, 333, 0.5, MaskStream{9, 9});
    EXPECT_EQ(bits_of(draw_mask(workspace, 1000, 0.6, MaskStream{1, 2}), 1000), first);
    EXPECT_NE(bits_of(draw_mask(workspace, 1000, 0.6, MaskStream{1, 3}), 1000), first);
    EXPECT_NE(bits_of(draw_mask(workspace, 1000, 0.6, MaskStream{2, 2}), 1000), first);
    // A longer mask begins like a shorter one.
    const std::vector<int> longer = bits_of(draw_mask(workspace, 5000, 0.6, MaskStream{1, 2}), 5000);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), longer.begin()));
}

// The definition, word by word, with the Philox of Random123.
std::uint64_t word_by_definition(const MaskStream& mask, std::uint32_t keep, std::uint32_t word) {
    const int skipped = std::countr_zero(keep);
    const int digits = 16 - skipped;
    const auto blocks = static_cast<std::uint32_t>((digits + 1) / 2);
    std::uint64_t less = 0;
    for (int s = 0; s < digits; ++s) {
        const auto drawn = r123::Philox4x32()(
            {{word * blocks + static_cast<std::uint32_t>(s) / 2, mask.block,
              static_cast<std::uint32_t>(mask.stream), static_cast<std::uint32_t>(mask.stream >> 32)}},
            {{static_cast<std::uint32_t>(mask.seed), static_cast<std::uint32_t>(mask.seed >> 32)}});
        const std::size_t half = s % 2 == 0 ? 0 : 2;
        const std::uint64_t digit = std::uint64_t{drawn[half + 1]} << 32 | drawn[half];
        less = (keep >> (skipped + s) & 1) != 0 ? less | ~digit : less & ~digit;
    }
    return less;
}

TEST(DrawWords, AreThoseOfTheDefinitionOnEveryInstructionSet) {
    const MaskStream mask{0x123456789abcdef0U, 0x0fedcba987654321U, 77};
    testing::for_every_instruction_set([&](const std::string& name) {
        for (const std::uint32_t keep : {1U, 2U, 26214U, 32768U, 49152U, 65535U, 45056U}) {
            for (const std::size_t count : {1, 3, 16, 37}) {
                std::vector<std::uint64_t> words(count + 1, 42);
                cpu::draw_words(mask, keep, 1000, count, words.data());
                for (std::size_t k = 0; k < count; ++k) {
                    EXPECT_EQ(words[k], word_by_definition(mask, keep, static_cast<std::uint32_t>(1000 + k)))
                        << name << ", keep " << keep << ", word " << k << " of " << count;
                }
                EXPECT_EQ(words[count], 42U) << "nothing beyond";
            }
        }
    });
}

TEST(DrawWords, APartIsThatOfTheWhole) {
    const MaskStream mask{5, 6, 0};
    std::vector<std::uint64_t> whole(100), part(13);
    cpu::draw_words(mask, 26214, 0, whole.size(), whole.data());
    cpu::draw_words(mask, 26214, 41, part.size(), part.data());
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 41));
    std::vector<std::uint64_t> other(100);
    cpu::draw_words({5, 6, 1}, 26214, 0, other.size(), other.data());
    EXPECT_NE(other, whole) << "another block of rows";
}

}  // namespace
}  // namespace hwgcn::drop_mask_test
