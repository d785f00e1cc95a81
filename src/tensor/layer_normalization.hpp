#pragma once

#include "hwgcn/base/run_control.hpp"

#include "tensor/normalization.hpp"

namespace hwgcn {

/// Each row shifted and scaled to mean 0 and variance 1 over its columns, then scaled by the row `scale` and
/// shifted by the row `offset` (Ba, Kiros and Hinton 2016). `kept`, for the gradients, is 2 x rows: the mean
/// of each row, and the inverse of its standard deviation.
void layer_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                     MatrixView out, const ExecutionControl& control);

/// What the gradients of layer normalisation are computed from.
struct LayerNormalization {
    ConstMatrixView x;
    ConstMatrixView scale;
    ConstMatrixView kept;
};

void layer_normalize_gradients(const LayerNormalization& layer, ConstMatrixView gradient,
                               const NormalizationGradients& out, const ExecutionControl& control);

}  // namespace hwgcn
