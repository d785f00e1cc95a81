#pragma once

#include <numeric>
#include <optional>
#include <span>

#include "hwgcn/base/run_control.hpp"

#include "tensor/operands.hpp"
#include "tensor/workspace.hpp"

namespace hwgcn {

// Attention with several heads over the entries of a sparse matrix. A matrix of several heads holds the heads
// of a unit side by side: column = unit * heads + head. What there is per head alone (scores, coefficients)
// is repeated to a row without padding, its lanes: column k then goes with lane k mod lanes.

/// The length of a row that repeats one number per head.
constexpr Index head_lanes(Index heads) {
    return 8 % heads == 0 ? Index{8} : std::lcm(heads, Index{16});
}

/// A step of attention: what it looks at, and what it keeps for its gradients. The score of row i for column
/// j is leaky(self_i + neighbor_j).
struct Attention {
    const CsrMatrix<float>* matrix;
    const CsrMatrix<float>* transposed;
    std::span<const Index> position;  ///< of each row of the matrix among its columns
    Index heads;
    ConstMatrixView scores;  ///< per column of the matrix: lanes of `self`, then lanes of `neighbor`
    ConstMatrixView values;  ///< per column of the matrix
    std::optional<KeptEntries> dropout;  ///< row_stride(heads) bits per entry, one per head
    MatrixView coefficients;             ///< entries x lanes
    MatrixView kept;                     ///< those that are not dropped, scaled; the same without dropout
};

/// out_i = sum_j a_ij v_j with a_i the softmax, over the entries j of row i, of the scores; fills
/// `coefficients` and `kept`.
void attend(const Attention& attention, MatrixView out, const ExecutionControl& control);

/// Where the gradients of attention go; those without a matrix are not wanted.
struct AttentionGradients {
    MatrixView scores = {};  ///< added
    MatrixView values = {};
    Write write = Write::replace;  ///< for values
};

/// `scratch` lends memory for one number per entry and lane.
void attend_gradients(const Attention& attention, ConstMatrixView gradient, Workspace& scratch,
                      const AttentionGradients& out, const ExecutionControl& control);

}  // namespace hwgcn
