#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

namespace gpu {
class Device;
}

/// Floats from one row to the next: whole vectors of 8 for the narrowest matrices, of 16 for all others, so
/// that kernels never meet half a vector. What lies beyond the columns of a row is always zero.
constexpr std::size_t row_stride(Index columns) {
    return columns <= 8 ? 8 : (static_cast<std::size_t>(columns) + 15) / 16 * 16;
}

/// A dense matrix in single precision that somebody else holds: rows of `row_stride(columns)` floats.
template <typename Float>
struct BasicMatrixView {
    Float* data = nullptr;
    Index rows = 0;
    Index columns = 0;

    std::size_t stride() const { return row_stride(columns); }
    std::size_t size() const { return static_cast<std::size_t>(rows) * stride(); }
    Float* row(Index i) const { return data + static_cast<std::size_t>(i) * stride(); }
    Float& at(Index i, Index j) const { return row(i)[j]; }

    operator BasicMatrixView<const Float>() const { return {data, rows, columns}; }
};
using MatrixView = BasicMatrixView<float>;
using ConstMatrixView = BasicMatrixView<const float>;

/// Where the largest number of a row is, the first of equals.
Index argmax(ConstMatrixView matrix, Index row);

/// A dense matrix with memory of its own, aligned to cache lines and zero at first. One assignment, by value,
/// does for copies and moves. Of a matrix in the memory of a device the numbers cannot be touched here, only
/// by operations; copies of it are there, too.
class DenseMatrix {  // NOLINT(cppcoreguidelines-special-member-functions)
  public:
    DenseMatrix() = default;
    DenseMatrix(Index rows, Index columns);
    DenseMatrix(const DenseMatrix& other);
    DenseMatrix(DenseMatrix&&) noexcept = default;
    DenseMatrix& operator=(DenseMatrix other) noexcept;

    Index rows() const { return view_.rows; }
    Index columns() const { return view_.columns; }
    float* row(Index i) { return view_.row(i); }
    const float* row(Index i) const { return view_.row(i); }
    float& at(Index i, Index j) { return view_.at(i, j); }
    float at(Index i, Index j) const { return view_.at(i, j); }

    MatrixView view() { return view_; }
    ConstMatrixView view() const { return view_; }
    operator MatrixView() { return view_; }
    operator ConstMatrixView() const { return view_; }

    /// All numbers, padding included.
    std::span<float> numbers() { return {view_.data, view_.size()}; }
    std::span<const float> numbers() const { return {view_.data, view_.size()}; }

  private:
    friend DenseMatrix matrix_on(gpu::Device* device, Index rows, Index columns);

    struct Release {
        void operator()(float* memory) const;
    };
    std::unique_ptr<float, Release> memory_;
    MatrixView view_;
};

}  // namespace hwgcn
