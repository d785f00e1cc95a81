#include "hwgcn/tensor/dense_matrix.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "tensor/device.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {
constexpr std::align_val_t cache_line{64};
}  // namespace

void DenseMatrix::Release::operator()(float* memory) const {
    if (gpu::Device* const device = gpu::Device::of(memory)) return device->release(memory);
    ::operator delete(memory, cache_line);
}

DenseMatrix::DenseMatrix(Index rows, Index columns) : view_{nullptr, rows, columns} {
    const std::size_t size = view_.size();
    if (size == 0) return;
    memory_.reset(static_cast<float*>(::operator new(size * sizeof(float), cache_line)));
    std::fill_n(memory_.get(), size, 0.0F);
    view_.data = memory_.get();
}

DenseMatrix matrix_on(gpu::Device* device, Index rows, Index columns) {
    if (device == nullptr) return {rows, columns};
    DenseMatrix result;
    result.view_ = {nullptr, rows, columns};
    if (result.view_.size() > 0) result.memory_.reset(device->allocate(result.view_.size()));
    result.view_.data = result.memory_.get();
    return result;
}

DenseMatrix::DenseMatrix(const DenseMatrix& other)
    : DenseMatrix(matrix_on(device_of(other), other.rows(), other.columns())) {
    copy(other, view_);
}

DenseMatrix& DenseMatrix::operator=(DenseMatrix other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(view_, other.view_);
    return *this;
}

Index argmax(ConstMatrixView matrix, Index row) {
    const float* numbers = matrix.row(row);
    return static_cast<Index>(std::max_element(numbers, numbers + matrix.columns) - numbers);
}

}  // namespace hwgcn
