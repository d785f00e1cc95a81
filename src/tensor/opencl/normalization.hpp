#pragma once

#include "tensor/normalization.hpp"
#include "tensor/opencl/arguments.hpp"

namespace hwgcn::gpu {

// As the functions of tensor/normalization.hpp.

void batch_normalize(Device& device, ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset,
                     double floor, const BatchNormalization& kept, MatrixView out, const SummedRows& rows);

void fixed_normalization(Device& device, ConstMatrixView means, ConstMatrixView variances,
                         ConstMatrixView scale, ConstMatrixView offset, double floor, MatrixView factors,
                         MatrixView addends);

void batch_normalize_gradients(Device& device, const BatchNormalization& kept, ConstMatrixView gradient,
                               const NormalizationGradients& out, const SummedRows& rows);

void add_mixing_gradient(Device& device, ConstMatrixView x, ConstMatrixView share, ConstMatrixView gradient,
                         MatrixView out, const SummedRows& rows);

/// Adds to the rows `scale` and `offset`, where they are wanted, what the pieces in `sums` add up to: two
/// rows of `stride` numbers each, for the offset and for the scale. Leaves the sums in the first piece.
void add_normalization_gradients(Device& device, Reals sums, Pieces pieces, std::size_t stride,
                                 const NormalizationGradients& out);

}  // namespace hwgcn::gpu
