#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dropout.hpp"

namespace hwgcn::cpu {

/// Words first .. first + count - 1 of a mask. A bit is set where U < keep / 2^16 for a uniform number U of
/// 16 binary digits. Its draws come from Philox 4x32-10 under the mask's key: word w has the counters (w *
/// blocks + b, mask.block, mask.stream) with b below `blocks`, two digits each, lowest digit first. Low
/// digits that are zero in `keep` decide nothing and are not drawn.
void draw_words(const MaskStream& mask, std::uint32_t keep, std::size_t first, std::size_t count,
                std::uint64_t* out);

}  // namespace hwgcn::cpu
