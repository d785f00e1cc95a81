#include "tensor/dropout.hpp"

#include <bit>
#include <stdexcept>

#include "tensor/elementwise.hpp"
#include "tensor/opencl/arguments.hpp"
#include "tensor/rows.hpp"

namespace hwgcn::opencl {

void draw_bits(std::span<std::uint64_t> bits, std::uint32_t keep, const MaskStream& mask,
               const ExecutionControl&) {
    Device& device = device_at(bits.data());
    const std::span<const std::uint64_t> seeds = device.seeds();
    if (!seeds.empty() && seeds.front() != mask.seed)
        throw std::logic_error("a mask of another seed than those of the runs");
    device.run("draw_mask", over_numbers(bits.size()), bits, static_cast<std::uint64_t>(bits.size()), keep,
               std::countr_zero(keep), mask.seed, seeds, seeds.empty() ? 0 : 1, mask.stream, mask.block);
}

void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write, const ExecutionControl&) {
    if (mask.layout != nullptr) throw std::logic_error("masks of blocks of nodes are not for devices");
    device_at(out).run("apply_dropout", over_rows_of(x), x, nodes, stride_of(x), mask.bits,
                       static_cast<int>(mask.whole_rows), mask.scale, out, x.rows, is_added(write));
}

void apply_hidden(ConstMatrixView x, ConstMatrixView row, std::span<const Index> nodes,
                  const HiddenMasks& masks, MatrixView out, const ExecutionControl& control) {
    if (masks.nodes) hwgcn::apply_dropout(x, nodes, *masks.nodes, out, Write::replace, control);
    hwgcn::add_row(masks.nodes ? ConstMatrixView(out) : x, row, out, control);
    hwgcn::activate(Activation::relu, out, out, control);
    if (masks.units) hwgcn::apply_dropout(out, nodes, *masks.units, out, Write::replace, control);
}

void hidden_gradient(ConstMatrixView outputs, const HiddenMasks& masks, ConstMatrixView gradient,
                     MatrixView out, const ExecutionControl& control) {
    hwgcn::activation_gradient(Activation::relu, outputs, gradient, out, Write::replace, control);
    if (masks.units) hwgcn::scale({masks.units->scale}, out, out, Write::replace, control);
}

void inverse_lengths(const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out) {
    const KeptEntries all{{}, {}, 1.0F};
    const KeptEntries& entries = kept != nullptr ? *kept : all;
    device_at(out).run("inverse_lengths", over_numbers(static_cast<std::size_t>(m.rows)), m.offsets, m.values,
                       entries.bits, entries.origin, static_cast<int>(kept != nullptr), entries.scale, out,
                       m.rows);
}

}  // namespace hwgcn::opencl
