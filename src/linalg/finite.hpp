#pragma once

#include <span>

#include "hwgcn/linalg/dense_matrix.hpp"

namespace hwgcn {

/// Whether no number of some matrices is infinite or NaN. All of them are in the same memory.
bool all_finite(std::span<const ConstMatrixView> matrices);

inline bool all_finite(ConstMatrixView matrix) {
    return all_finite(std::span(&matrix, 1));
}

}  // namespace hwgcn
