#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// Memory for the intermediate results of a pass: handed out piece by piece, taken back all at once; a
/// pass of the same shape costs no allocation.
class Workspace {
  public:
    /// Without a device, in the memory of the host.
    explicit Workspace(gpu::Device* device = nullptr) : device_(device) {}

    /// Content undefined, except that the padding of its rows is zero.
    MatrixView matrix(Index rows, Index columns);

    /// Content undefined.
    std::span<std::uint64_t> words(std::size_t count);

    /// Takes everything back.
    void reset();

  private:
    float* take(std::size_t floats);
    bool is_as_before(const MatrixView& view);

    gpu::Device* device_;
    std::vector<DenseMatrix> chunks_;  // one cache line per row
    std::size_t chunk_ = 0;            // the one in use
    std::size_t used_ = 0;             // floats of it
    /// On a device, the matrices with padding since the last reset, and before it those of the pass before:
    /// where passes take the same memory in the same order, their padding has stayed zero.
    std::vector<MatrixView> padded_;
    std::size_t handed_out_ = 0;
};

}  // namespace hwgcn
