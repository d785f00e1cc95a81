#include "linalg/finite.hpp"

#include <bit>
#include <cstdint>

#include "linalg/gpu/elementwise.hpp"

namespace hwgcn {

// In the bits, without a branch, so that the compiler makes vectors of it: this is done in every epoch.
bool all_finite(ConstMatrixView matrix) {
    if (gpu::Device* const device = gpu::Device::of(matrix.data)) return gpu::all_finite(*device, matrix);
    constexpr std::uint32_t exponent = 0x7F800000;  // all ones: infinite or NaN
    std::uint32_t found = 0;
    for (std::size_t k = 0; k < matrix.size(); ++k)
        found |= (std::bit_cast<std::uint32_t>(matrix.data[k]) & exponent) == exponent ? 1U : 0U;
    return found == 0;
}

}  // namespace hwgcn
