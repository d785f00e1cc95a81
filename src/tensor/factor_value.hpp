#pragma once

#include "tensor/operands.hpp"

namespace hwgcn {

/// The number itself, for operations that run on the processor.
inline float value_of(const Factor& factor) {
    const float number = factor.row.rows > 0 ? factor.row.at(0, factor.column) : 1.0F;
    return factor.multiplier * number / factor.divisor;
}

}  // namespace hwgcn
