#pragma once

#include "operators/receptive_field.hpp"
#include "tensor/operands.hpp"
#include "tensor/workspace.hpp"

namespace hwgcn {

/// out = M H. `own` are the first rows of H; the others, if there are any, come from elsewhere. Where H
/// is wide, 16 of its columns travel while those before them are multiplied. The bits are those of the
/// product with the whole H.
void multiply_with_foreign(const CsrMatrix<float>& m, const ForeignRows* foreign, ConstMatrixView own,
                           MatrixView out, Write write, Workspace& workspace,
                           const ExecutionControl& control);

}  // namespace hwgcn
