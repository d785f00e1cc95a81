#include "tensor/finite.hpp"

#include <bit>
#include <cstdint>

#include "tensor/opencl/elementwise.hpp"

namespace hwgcn {
namespace {

// In the bits, without a branch, so that the compiler makes vectors of it: this is done in every epoch.
std::size_t infinite_of(ConstMatrixView matrix) {
    constexpr std::uint32_t exponent = 0x7F800000;  // all ones: infinite or NaN
    std::size_t found = 0;
    for (std::size_t k = 0; k < matrix.size(); ++k)
        found += (std::bit_cast<std::uint32_t>(matrix.data[k]) & exponent) == exponent ? 1U : 0U;
    return found;
}

}  // namespace

void count_infinite(std::span<const ConstMatrixView> matrices, MatrixView out) {
    if (gpu::Device* const device = gpu::Device::of(out.data))
        return gpu::count_infinite(*device, matrices, out);
    std::size_t found = 0;
    for (const ConstMatrixView& matrix : matrices)
        found += infinite_of(matrix);
    out.at(0, 0) = static_cast<float>(found);
}

bool all_finite(ConstMatrixView matrix) {
    return infinite_of(matrix) == 0;
}

}  // namespace hwgcn
