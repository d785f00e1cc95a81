#pragma once

#include <cstdint>
#include <span>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

// What the operations of this folder take besides matrices.

/// Whether a result replaces what is there or is added to it.
enum class Write { replace, add };

/// Which entries of a sparse matrix take part: entry e of row i does when bit `origin[i] + e` is set; those
/// are multiplied by `scale`.
struct KeptEntries {
    std::span<const std::uint64_t> bits;  ///< one word more than the bits need
    std::span<const std::int64_t> origin;
    float scale;
    /// Of row i, bit nodes[i] says whether it is wanted: the others have results of zero, or any, as whoever
    /// reads them multiplies them by zero. Empty: all are.
    std::span<const std::uint64_t> rows = {};
    std::span<const Index> nodes = {};
};

/// A number that a whole matrix is multiplied by: multiplier * row[column] / divisor. The number in `row`, a
/// learned weight or the gradient of a loss, stays where the matrices are.
struct Factor {
    float multiplier = 1.0F;
    ConstMatrixView row = {};  ///< 1 x columns; none counts as 1
    Index column = 0;
    float divisor = 1.0F;
};

/// One number of a row as a matrix of its own, for operations that write a single number: what lies behind it
/// is no padding.
inline MatrixView number_at(MatrixView row, Index column) {
    return {row.data + column, 1, 1};
}

/// Rows that hold `blocks` pieces of a multiple of 16 numbers one after the other, each piece as a row of its
/// own: the same memory, as such rows have no padding.
template <typename Float>
BasicMatrixView<Float> pieces(BasicMatrixView<Float> rows, Index blocks) {
    return {rows.data, rows.rows * blocks, rows.columns / blocks};
}

}  // namespace hwgcn
