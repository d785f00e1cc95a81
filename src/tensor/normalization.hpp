#pragma once

#include "tensor/block_sums.hpp"
#include "tensor/operands.hpp"

namespace hwgcn {

/// What batch normalisation keeps for its gradients, and what it found.
struct BatchNormalization {
    MatrixView standard;   ///< the columns with mean 0 and variance 1
    MatrixView factors;    ///< 1 x columns: what each column was multiplied by, the learned scale included
    MatrixView means;      ///< 1 x columns
    MatrixView variances;  ///< 1 x columns
};

/// Each column shifted and scaled to mean 0 and variance 1 over the rows, then scaled by the row `scale` and
/// shifted by the row `offset` (Ioffe and Szegedy 2015). `floor` is added to the variance: a column of equal
/// numbers stays finite. Threads share the columns.
void batch_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, double floor,
                     const BatchNormalization& kept, MatrixView out, const SummedRows& rows = {},
                     const ExecutionControl& control = one_thread);

/// The same with given means and variances is a factor and an addend for each column:
///   factor = scale / sqrt(variance + floor),  addend = offset - mean * factor.
void fixed_normalization(ConstMatrixView means, ConstMatrixView variances, ConstMatrixView scale,
                         ConstMatrixView offset, double floor, MatrixView factors, MatrixView addends);

/// Where the gradients of a normalisation go; those without a matrix are not wanted.
struct NormalizationGradients {
    MatrixView scale = {};   ///< added
    MatrixView offset = {};  ///< added
    MatrixView x = {};
    Write write = Write::replace;  ///< for x
};

void batch_normalize_gradients(const BatchNormalization& kept, ConstMatrixView gradient,
                               const NormalizationGradients& out, const SummedRows& rows = {},
                               const ExecutionControl& control = one_thread);

/// For out = sum over blocks b of share_b * (block b of the columns of `x`), with share = softmax(weights):
/// the gradient of the weights is added to `out`, which is 1 x blocks.
void add_mixing_gradient(ConstMatrixView x, ConstMatrixView share, ConstMatrixView gradient, MatrixView out,
                         const SummedRows& rows = {});

}  // namespace hwgcn
