#include "tensor/dropout.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hwgcn/base/error.hpp"

#include "tensor/device.hpp"

namespace hwgcn {
namespace {

std::uint32_t kept_of(double rate) {
    return static_cast<std::uint32_t>(std::llround((1.0 - rate) * keep_all));
}

void expect_counters(std::size_t bits) {
    if (bits >= std::size_t{1} << 35)  // the counters of its words would repeat
        throw ExecutionError("a matrix is too large for dropout: it has 2^35 numbers or more");
}

}  // namespace

DropMask draw_mask(Workspace& workspace, std::size_t count, double rate, const MaskStream& mask,
                   const ExecutionControl& control) {
    expect_counters(count);
    const std::span<std::uint64_t> bits = workspace.words(count / 64 + 2);
    const std::uint32_t keep = kept_of(rate);
    draw_bits(bits, keep, mask, control);
    return {bits, static_cast<float>(0x1.0p16 / keep)};
}

DropMask draw_block_masks(Workspace& workspace, std::span<const std::uint64_t> first_words, Index first_block,
                          double rate, const MaskStream& mask, const ExecutionControl& control) {
    const std::span<std::uint64_t> bits = workspace.words(first_words.back() + 2);
    if (gpu::Device::of(bits.data()) != nullptr)
        throw std::logic_error("masks of blocks of nodes are not for devices");
    const std::uint32_t keep = kept_of(rate);
    std::ranges::fill(bits.last(2), 0);
    MaskStream own = mask;
    for (std::size_t k = 0; k + 1 < first_words.size(); ++k) {
        const std::size_t words = first_words[k + 1] - first_words[k];
        expect_counters(64 * words);
        own.block = static_cast<std::uint32_t>(first_block) + static_cast<std::uint32_t>(k);
        draw_bits(bits.subspan(first_words[k], words), keep, own, control);
    }
    return {bits, static_cast<float>(0x1.0p16 / keep)};
}

}  // namespace hwgcn
