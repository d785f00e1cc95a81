#pragma once

#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "operators/receptive_field.hpp"

namespace hwgcn {

/// What each power of an operator counts: H = sum over t of c_t P^t X.
using Diffusion = std::vector<float>;

/// Personalised PageRank in so many steps: c_t = a (1 - a)^t, and all that is left on the last power.
Diffusion page_rank(double teleport, int steps);

/// A single power.
Diffusion power_of_operator(int power, int steps);

/// Features whose rows may be multiplied by numbers of their own.
struct ScaledFeatures {
    const CsrMatrix<float>& matrix;
    std::span<const float> row_scale = {};  ///< empty: 1
};

/// What makes the length of every row 1; 0 for rows of zeros.
std::vector<float> inverse_row_lengths(const CsrMatrix<float>& matrix);

/// The rows of H at some nodes, for several diffusions at once: the powers are computed for all of them
/// together. Either tiles of columns go through the operator, or the nodes go back through it, tile by tile:
/// whichever takes fewer multiplications. No matrix of all nodes is wider than a tile.
std::vector<DenseMatrix> diffused_rows(const CsrMatrix<float>& p, const ScaledFeatures& x,
                                       std::span<const Index> nodes, std::span<const Diffusion> diffusions,
                                       const ExecutionControl& control);

/// sum over t of c_t P^t x at the outputs of a field that has a step for every power, by Horner's rule;
/// `x` has a row for each of its inputs.
DenseMatrix diffused(const ReceptiveField& field, const Diffusion& diffusion, DenseMatrix x,
                     const ExecutionControl& control);

/// 1 / |H_i| at the outputs of a field, 0 where H_i is zero; H is made and forgotten in tiles of columns.
std::vector<float> inverse_diffused_lengths(const ReceptiveField& field, const Diffusion& diffusion,
                                            const ScaledFeatures& x, const ExecutionControl& control);

}  // namespace hwgcn
