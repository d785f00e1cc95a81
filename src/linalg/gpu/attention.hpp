#pragma once

#include "linalg/attention.hpp"
#include "linalg/gpu/device.hpp"

namespace hwgcn::gpu {

// As the functions of linalg/attention.hpp; the transposed matrix is not needed.

void attend(Device& device, const Attention& attention, MatrixView out);

void attend_gradients(Device& device, const Attention& attention, ConstMatrixView gradient,
                      Workspace& scratch, const AttentionGradients& out);

}  // namespace hwgcn::gpu
