#pragma once

#include <cstdint>
#include <span>

#include "autodiff/workspace.hpp"
#include "support/random_stream.hpp"

namespace hwgcn {

/// Which numbers survive dropout, one bit each, and the factor that keeps their expectation.
struct DropMask {
    std::span<const std::uint64_t> bits;  ///< one word more than the bits need
    float scale = 1.0F;
};

/// Draws `count` bits that are 0 with probability `rate` (to 32 binary digits), a pure function of the
/// stream.
DropMask draw_mask(Workspace& workspace, std::size_t count, double rate, RandomStream random);

}  // namespace hwgcn
