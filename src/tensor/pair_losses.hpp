#pragma once

#include <span>

#include "hwgcn/base/run_control.hpp"

#include "tensor/operands.hpp"

namespace hwgcn {

// Losses that compare rows with each other, each a 1 x 1 matrix. `slopes` (1 x pairs) keeps what the gradient
// needs; gradients are multiplied by `factor` and added to `out`.

/// Two rows.
struct RowPair {
    Index first;
    Index second;
};

/// Whether the node `context` belongs to the surroundings of `node` (+1) or not (-1).
struct ContextPair {
    Index node;
    Index context;
    float sign;
};

/// share * sum over the entries (i,j) of `weights` of w_ij |x_i - x_j|^2.
void neighbor_distance(const CsrMatrix<float>& weights, double share, ConstMatrixView x, MatrixView loss,
                       const ExecutionControl& control);

/// sum_j w_ij (x_i - x_j), for each row i: a quarter of the gradient where the weights are symmetric.
void neighbor_distance_gradient(const CsrMatrix<float>& weights, const Factor& factor, ConstMatrixView x,
                                MatrixView out, const ExecutionControl& control);

/// Mean of max(0, margin - |x_i - x_j|)^2 over the pairs; zero without pairs.
void crowding(std::span<const RowPair> pairs, float margin, ConstMatrixView x, MatrixView slopes,
              MatrixView loss);

/// The gradient of the sum, not of the mean, over the pairs.
void crowding_gradient(std::span<const RowPair> pairs, ConstMatrixView slopes, const Factor& factor,
                       ConstMatrixView x, MatrixView out);

/// Sum of -log sigmoid(sign <x_node, c_context>) over the pairs.
void context_loss(std::span<const ContextPair> pairs, ConstMatrixView x, ConstMatrixView c, MatrixView slopes,
                  MatrixView loss);

/// One of the two matrices of a context loss.
enum class ContextSide { nodes, contexts };

/// The gradient of the matrix on `side`, from the `other` one.
void context_loss_gradient(std::span<const ContextPair> pairs, ConstMatrixView slopes, const Factor& factor,
                           ContextSide side, ConstMatrixView other, MatrixView out);

}  // namespace hwgcn
