#pragma once

#include <cstdint>
#include <span>

#include "linalg/operands.hpp"
#include "linalg/workspace.hpp"
#include "support/random_stream.hpp"

namespace hwgcn {

/// Which numbers survive dropout, one bit each, and the factor that keeps their expectation.
struct DropMask {
    std::span<const std::uint64_t> bits;  ///< one word more than the bits need
    float scale = 1.0F;
    bool whole_rows = false;  ///< one bit per node of the graph instead of one per number
};

/// Draws `count` bits that are 0 with probability `rate` (to 32 binary digits), a pure function of the
/// stream.
DropMask draw_mask(Workspace& workspace, std::size_t count, double rate, RandomStream random);

/// The numbers of `x` that the mask keeps, scaled, and zero for the others. Row i is the node nodes[i];
/// number k of it has bit nodes[i] * stride + k.
void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write);

/// What scales the kept part of each row of `m` to length 1, and 1 for a row of zeros; `out` is 1 x rows.
/// Without `kept` all entries take part.
void inverse_lengths(const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out);

}  // namespace hwgcn
