#pragma once

#include "linalg/gpu/device.hpp"
#include "linalg/layer_normalization.hpp"

namespace hwgcn::gpu {

// As the functions of linalg/layer_normalization.hpp.

void layer_normalize(Device& device, ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset,
                     MatrixView kept, MatrixView out);

void layer_normalize_gradients(Device& device, const LayerNormalization& layer, ConstMatrixView gradient,
                               const NormalizationGradients& out);

}  // namespace hwgcn::gpu
