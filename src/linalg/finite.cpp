#include "linalg/finite.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "linalg/gpu/elementwise.hpp"

namespace hwgcn {
namespace {

// In the bits, without a branch, so that the compiler makes vectors of it: this is done in every epoch.
bool is_finite(ConstMatrixView matrix) {
    constexpr std::uint32_t exponent = 0x7F800000;  // all ones: infinite or NaN
    std::uint32_t found = 0;
    for (std::size_t k = 0; k < matrix.size(); ++k)
        found |= (std::bit_cast<std::uint32_t>(matrix.data[k]) & exponent) == exponent ? 1U : 0U;
    return found == 0;
}

}  // namespace

bool all_finite(std::span<const ConstMatrixView> matrices) {
    for (const ConstMatrixView& matrix : matrices) {
        if (gpu::Device* const device = gpu::Device::of(matrix.data))
            return gpu::all_finite(*device, matrices);
    }
    return std::ranges::all_of(matrices, is_finite);
}

}  // namespace hwgcn
