#include "linalg/dropout.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/cpu/elementwise_kernels.hpp"

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

bool is_set(std::span<const std::uint64_t> bits, std::int64_t bit) {
    return (bits[static_cast<std::size_t>(bit) / 64] >> bit % 64 & 1) != 0;
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

void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write) {
    const std::size_t stride = x.stride();
    for (Index i = 0; i < x.rows; ++i) {
        if (mask.whole_rows) {
            const float factor = is_set(mask.bits, nodes[i]) ? mask.scale : 0.0F;
            cpu::scale_numbers(factor, x.row(i), out.row(i), stride, write);
        } else {
            const std::size_t first_bit = static_cast<std::size_t>(nodes[i]) * stride;
            cpu::keep_numbers(x.row(i), mask.bits.data(), first_bit, mask.scale, out.row(i), stride, write);
        }
    }
}

void inverse_lengths(const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out) {
    const double scale = kept != nullptr ? static_cast<double>(kept->scale) : 1.0;
    for (Index i = 0; i < m.rows; ++i) {
        double squares = 0;
        std::int64_t entry = kept != nullptr ? kept->origin[i] : 0;
        for (const float value : m.row(i).values) {
            if (kept == nullptr || is_set(kept->bits, entry++))
                squares += static_cast<double>(value) * static_cast<double>(value);
        }
        out.at(0, i) = squares > 0 ? static_cast<float>(1.0 / (scale * std::sqrt(squares))) : 1.0F;
    }
}

}  // namespace hwgcn
