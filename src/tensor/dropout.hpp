#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tensor/blocks/node_blocks.hpp"
#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"
#include "tensor/workspace.hpp"

namespace hwgcn {

/// Which numbers survive dropout, one bit each, and the factor that keeps their expectation.
struct DropMask {
    std::span<const std::uint64_t> bits;  ///< at least one word more than the bits need
    float scale = 1.0F;
    bool whole_rows = false;  ///< one bit per node of the graph instead of one per number
    /// Where nodes fall into blocks: which of them are here, and the word that each begins at.
    const RowLayout* layout = nullptr;
    std::span<const std::uint64_t> first_words = {};
};

/// Names a mask: the same names, the same bits, whoever draws them. Each word of a mask has counters of its
/// own: any part of it can be drawn alone; `block` keeps the masks of several blocks of rows apart.
struct MaskStream {
    std::uint64_t seed = 0;
    std::uint64_t stream = 0;
    std::uint32_t block = 0;
};

/// All of 2^16 digits: nothing is dropped.
inline constexpr std::uint32_t keep_all = 1 << 16;

/// Draws words of a mask: a bit is 1 where U < keep / 2^16, U being a number of 16 binary digits.
void draw_bits(std::span<std::uint64_t> bits, std::uint32_t keep, const MaskStream& mask,
               const ExecutionControl& control);

/// Draws `count` bits (fewer than 2^35) that are 0 with probability `rate`, to 16 binary digits.
DropMask draw_mask(Workspace& workspace, std::size_t count, double rate, const MaskStream& mask,
                   const ExecutionControl& control = one_thread);

/// The same for the blocks `first_block`, `first_block + 1`, .., each of which has a mask of its own: that of
/// block k begins at word first_words[k], and the last number of `first_words` says where all end.
DropMask draw_block_masks(Workspace& workspace, std::span<const std::uint64_t> first_words, Index first_block,
                          double rate, const MaskStream& mask, const ExecutionControl& control = one_thread);

/// The numbers of `x` that the mask keeps, scaled, and zero for the others. Row i is the node nodes[i];
/// number k of it has bit nodes[i] * stride + k. Where nodes fall into blocks, they are counted from the
/// first of a block, and ascend.
void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write, const ExecutionControl& control = one_thread);

/// What is dropped on both sides of a hidden layer.
struct HiddenMasks {
    std::optional<DropMask> nodes = {};  ///< whole rows of its products
    std::optional<DropMask> units = {};  ///< numbers of its outputs
};

/// out = drop(max(x + row, 0)) where `x` has lost whole rows before; nodes as for apply_dropout.
void apply_hidden(ConstMatrixView x, ConstMatrixView row, std::span<const Index> nodes,
                  const HiddenMasks& masks, MatrixView out, const ExecutionControl& control = one_thread);

/// The way back from these outputs to x + row.
void hidden_gradient(ConstMatrixView outputs, const HiddenMasks& masks, ConstMatrixView gradient,
                     MatrixView out, const ExecutionControl& control = one_thread);

/// What scales the kept part of each row of `m` to length 1, and 1 for a row of zeros; `out` is 1 x rows.
/// Without `kept` all entries take part.
void inverse_lengths(const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out);

}  // namespace hwgcn
