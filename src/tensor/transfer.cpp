#include "tensor/transfer.hpp"

#include <algorithm>
#include <cstddef>

#include "tensor/opencl/device.hpp"

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

std::vector<DenseMatrix> copies_of_runs(ConstMatrixView matrix) {
    gpu::Device* const device = gpu::Device::of(matrix.data);
    if (device == nullptr) return {copy_on(nullptr, matrix)};
    std::vector<DenseMatrix> copies;
    std::vector<void*> places;
    for (std::size_t run = 0; run < device->runs_of(matrix.data); ++run)
        places.push_back(copies.emplace_back(matrix.rows, matrix.columns).row(0));
    device->read_runs(matrix.data, places, matrix.size() * sizeof(float));
    return copies;
}

void set_runs(std::span<const ConstMatrixView> copies, MatrixView out) {
    gpu::Device* const device = gpu::Device::of(out.data);
    if (device == nullptr) {
        std::copy_n(copies.front().data, out.size(), out.data);
        return;
    }
    std::vector<const void*> places;
    for (const ConstMatrixView& copy : copies)
        places.push_back(copy.data);
    device->write_runs(places, out.data, out.size() * sizeof(float));
}

void copy_where(ConstMatrixView chosen, Index column, ConstMatrixView x, MatrixView out) {
    if (gpu::Device* const device = gpu::Device::of(out.data)) {
        return device->run("copy_where", gpu::over_numbers(x.size()), chosen, column, x, out,
                           static_cast<std::uint64_t>(x.size()));
    }
    if (chosen.at(0, column) != 0.0F) std::copy_n(x.data, x.size(), out.data);
}

void fill(MatrixView out, float value) {
    if (gpu::Device* const device = gpu::Device::of(out.data)) {
        return device->run("fill", gpu::over_rows(static_cast<std::size_t>(out.rows), out.stride()), out,
                           out.rows, out.columns, static_cast<Index>(out.stride()), value);
    }
    if (value == 0.0F) {
        std::fill_n(out.data, out.size(), 0.0F);
        return;
    }
    for (Index i = 0; i < out.rows; ++i)  // the padding stays zero
        std::fill_n(out.row(i), out.columns, value);
}

}  // namespace hwgcn
