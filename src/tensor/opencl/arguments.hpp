#pragma once

#include <algorithm>

#include "tensor/block_sums.hpp"
#include "tensor/normalization.hpp"
#include "tensor/opencl/device.hpp"

// Between operations and the arguments of kernels, and what several operations start.
namespace hwgcn::opencl {

inline Index stride_of(ConstMatrixView x) {
    return static_cast<Index>(x.stride());
}

inline Index is_added(Write write) {
    return write == Write::add ? 1 : 0;
}

inline Grid over_rows_of(ConstMatrixView x) {
    return over_rows(static_cast<std::size_t>(x.rows), x.stride());
}

/// One group, as large as kernels may expect it to be.
inline Grid one_group() {
    return groups_of(256, 1);
}

inline Grid over_numbers_of(ConstMatrixView x) {
    return over_numbers(x.size());
}

inline std::uint64_t count_of(ConstMatrixView x) {
    return x.size();
}

/// Sums over many numbers are cut into pieces, by their count alone.
struct Pieces {
    Index size;   ///< of a piece
    Index count;  ///< of pieces
};

inline Pieces pieces_of(std::int64_t items, std::int64_t size) {
    return {static_cast<Index>(size),
            static_cast<Index>(std::max<std::int64_t>((items + size - 1) / size, 1))};
}

/// How a sum over rows is cut: into about as many pieces as a piece has rows, and few numbers are added one
/// after the other, in the pieces and in their sum.
Pieces row_pieces(Index rows);

/// factor <a, b>, as a single number.
void put_dot(float factor, ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write);

/// Adds to the rows `scale` and `offset`, where they are wanted, what the pieces in `sums` add up to: two
/// rows of `stride` numbers each, for the offset and for the scale. Leaves the sums in the first piece.
void add_normalization_gradients(Device& device, Reals sums, Pieces pieces, std::size_t stride,
                                 const NormalizationGradients& out);

/// Sums over blocks of nodes are made on the processor alone.
void expect_no_blocks(const SummedRows& rows);

}  // namespace hwgcn::opencl
