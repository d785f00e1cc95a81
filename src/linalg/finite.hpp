#pragma once

#include "hwgcn/linalg/dense_matrix.hpp"

namespace hwgcn {

/// Whether no number of a matrix is infinite or NaN.
bool all_finite(ConstMatrixView matrix);

}  // namespace hwgcn
