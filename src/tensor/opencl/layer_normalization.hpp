#pragma once

#include "tensor/layer_normalization.hpp"
#include "tensor/opencl/device.hpp"

namespace hwgcn::gpu {

// As the functions of tensor/layer_normalization.hpp.

void layer_normalize(Device& device, ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset,
                     MatrixView kept, MatrixView out);

void layer_normalize_gradients(Device& device, const LayerNormalization& layer, ConstMatrixView gradient,
                               const NormalizationGradients& out);

}  // namespace hwgcn::gpu
