#include "hwgcn/tensor/dense_matrix.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "tensor/opencl/device.hpp"

namespace hwgcn {
namespace {
constexpr std::align_val_t cache_line{64};
}  // namespace

void DenseMatrix::Release::operator()(float* memory) const {
    if (gpu::Device* const device = gpu::Device::of(memory)) return device->release(memory);
    ::operator delete(memory, cache_line);
}

DenseMatrix::DenseMatrix(Index rows, Index columns) : DenseMatrix(rows, columns, nullptr) {}

DenseMatrix::DenseMatrix(Index rows, Index columns, gpu::Device* device) : view_{nullptr, rows, columns} {
    const std::size_t size = view_.size();
    if (size == 0) return;
    if (device != nullptr) {
        memory_.reset(device->allocate(size));
    } else {
        memory_.reset(static_cast<float*>(::operator new(size * sizeof(float), cache_line)));
        std::fill_n(memory_.get(), size, 0.0F);
    }
    view_.data = memory_.get();
}

DenseMatrix::DenseMatrix(const DenseMatrix& other)
    : DenseMatrix(other.rows(), other.columns(), gpu::Device::of(other.view_.data)) {
    if (gpu::Device* const device = gpu::Device::of(view_.data)) {
        device->copy(other.view_.data, view_.data, view_.size());
    } else {
        std::copy_n(other.view_.data, view_.size(), view_.data);
    }
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
