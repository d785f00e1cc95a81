#pragma once

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// Rows in coordinates of the space that the first `spanning` of them span: for the penalty |Theta|^2 a
/// classifier learned from these lies in that space, and its scores are the same in such coordinates, which
/// are fewer than the columns where examples are. An incomplete Cholesky decomposition of the rows' products.
CsrMatrix<float> row_coordinates(const CsrMatrix<float>& rows, Index spanning,
                                 const ExecutionControl& control);

}  // namespace hwgcn
