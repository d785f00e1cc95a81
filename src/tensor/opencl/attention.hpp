#pragma once

#include "tensor/attention.hpp"
#include "tensor/opencl/device.hpp"

namespace hwgcn::gpu {

// As the functions of tensor/attention.hpp; the transposed matrix is not needed.

void attend(Device& device, const Attention& attention, MatrixView out);

void attend_gradients(Device& device, const Attention& attention, ConstMatrixView gradient,
                      Workspace& scratch, const AttentionGradients& out);

}  // namespace hwgcn::gpu
