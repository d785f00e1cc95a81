#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/cpu/narrow_kernels.hpp"

namespace hwgcn::cpu {

// The inner loops of attention, whose matrices tensor/attention.hpp describes: with lanes, all loops run
// straight through memory, whatever the number of heads. As in narrow_kernels.hpp the bits of a result do not
// depend on the processor.

/// The slope of the scores' leaky rectifier for negative numbers.
inline constexpr float leaky_slope = 0.2F;

/// What attention looks at: the score of row i for column j is leaky(self_i + neighbor_j).
struct AttentionScores {
    ConstMatrixView numbers;          ///< per column of the matrix: lanes of `self`, then lanes of `neighbor`
    std::span<const Index> position;  ///< of each row of the matrix among its columns

    std::size_t lanes() const { return static_cast<std::size_t>(numbers.columns) / 2; }
    const float* self(Index row) const { return numbers.row(position[row]); }
    const float* neighbor(Index column) const { return numbers.row(column) + lanes(); }
};

/// Softmax over each row of the scores: one row of `coefficients` per entry of `m`.
void attention_coefficients(const CsrMatrix<float>& m, const AttentionScores& scores, MatrixView coefficients,
                            RowRange rows);

/// The coefficients of the entries in `rows` that are kept, scaled, and zero for the others. Each entry has
/// row_stride(heads) bits in `kept.bits`, one per head.
void keep_coefficients(const CsrMatrix<float>& m, ConstMatrixView coefficients, const KeptEntries& kept,
                       Index heads, MatrixView out, RowRange rows);

/// out_i = sum over the entries e of row i of coefficients_e * b_(column of e), head by head. With `order`,
/// the coefficients of entry e are in row order[e].
void attention_product(const CsrMatrix<float>& m, std::span<const std::uint64_t> order,
                       ConstMatrixView coefficients, ConstMatrixView b, MatrixView out, RowRange rows,
                       Write write);

/// The way of attention_product back to the scores.
struct AttentionBackward {
    AttentionScores scores;
    ConstMatrixView coefficients;
    ConstMatrixView kept;      ///< those of them that were not dropped, times `scale`
    float scale;               ///< 1 without dropout
    ConstMatrixView values;    ///< what attention_product multiplied
    ConstMatrixView gradient;  ///< of its result
};

/// The gradient of each entry's self_i + neighbor_j to `entries`; their sums over each row are added to the
/// `self` lanes of `sums`.
void attention_gradients(const CsrMatrix<float>& m, const AttentionBackward& backward, MatrixView entries,
                         MatrixView sums, RowRange rows);

/// sums_i += the `entries` of row i, to the `neighbor` lanes. `order` as above.
void add_entries(const CsrMatrix<float>& m, std::span<const std::uint64_t> order, ConstMatrixView entries,
                 MatrixView sums, RowRange rows);

}  // namespace hwgcn::cpu
