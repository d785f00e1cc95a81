#include "tensor/transfer.hpp"

#include <utility>

#include "tensor/device.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {

gpu::Device* device_of(ConstMatrixView matrix) {
    return gpu::Device::of(matrix.data);
}

DenseMatrix copy_on(gpu::Device* device, ConstMatrixView matrix) {
    if (device == nullptr) return std::move(copies_of_runs(matrix).front());
    DenseMatrix result = matrix_on(device, matrix.rows, matrix.columns);
    copy(matrix, result);
    return result;
}

}  // namespace hwgcn
