#pragma once

#include "tensor/dropout.hpp"
#include "tensor/opencl/device.hpp"

namespace hwgcn::gpu {

// As the functions of tensor/dropout.hpp.

/// The words of a mask: a bit is set where U < keep / 2^16 for a uniform number U of 16 binary digits. The
/// same bits as those of cpu::draw_words.
void draw_mask(Device& device, std::span<std::uint64_t> bits, std::uint32_t keep, const MaskStream& mask);

void apply_dropout(Device& device, ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask,
                   MatrixView out, Write write);

void inverse_lengths(Device& device, const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out);

}  // namespace hwgcn::gpu
