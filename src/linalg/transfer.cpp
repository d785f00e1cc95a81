#include "linalg/transfer.hpp"

#include <algorithm>
#include <cstddef>

#include "linalg/gpu/device.hpp"

namespace hwgcn {

std::vector<float> download(ConstMatrixView matrix) {
    if (gpu::Device::of(matrix.data) != nullptr) return download(copy_on(nullptr, matrix));
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.columns));
    for (Index i = 0; i < matrix.rows; ++i)
        numbers.insert(numbers.end(), matrix.row(i), matrix.row(i) + matrix.columns);
    return numbers;
}

gpu::Device* device_of(ConstMatrixView matrix) {
    return gpu::Device::of(matrix.data);
}

DenseMatrix copy_on(gpu::Device* device, ConstMatrixView matrix) {
    DenseMatrix result(matrix.rows, matrix.columns, device);
    const MatrixView out = result;
    gpu::Device* const source = gpu::Device::of(matrix.data);
    if (source != nullptr && device == nullptr) {
        source->read(matrix.data, out.data, out.size() * sizeof(float));
    } else if (source == nullptr && device != nullptr) {
        device->write(matrix.data, out.data, out.size() * sizeof(float));
    } else if (device != nullptr) {
        device->copy(matrix.data, out.data, out.size());
    } else {
        std::copy_n(matrix.data, matrix.size(), out.data);
    }
    return result;
}

void upload(std::span<const float> numbers, MatrixView out) {
    if (gpu::Device* const device = gpu::Device::of(out.data)) {
        DenseMatrix host(out.rows, out.columns);
        upload(numbers, host);
        return device->write(host.row(0), out.data, out.size() * sizeof(float));
    }
    const auto columns = static_cast<std::size_t>(out.columns);
    for (Index i = 0; i < out.rows; ++i)
        std::copy_n(numbers.data() + static_cast<std::size_t>(i) * columns, columns, out.row(i));
}

void fill(MatrixView out, float value) {
    if (gpu::Device* const device = gpu::Device::of(out.data)) {
        device->fill(out.data, out.size(), value);
        if (value != 0.0F)
            device->run("clear_padding", gpu::over_rows(static_cast<std::size_t>(out.rows), out.stride()),
                        out, out.rows, out.columns, static_cast<Index>(out.stride()));
        return;
    }
    if (value == 0.0F) {
        std::fill_n(out.data, out.size(), 0.0F);
        return;
    }
    for (Index i = 0; i < out.rows; ++i)  // the padding stays zero
        std::fill_n(out.row(i), out.columns, value);
}

}  // namespace hwgcn
