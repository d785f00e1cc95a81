#include "tensor/transfer.hpp"

#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

std::size_t bytes_of(ConstMatrixView x) {
    return x.size() * sizeof(float);
}

}  // namespace

std::vector<float> download(ConstMatrixView matrix) {
    DenseMatrix host(matrix.rows, matrix.columns);
    device_at(matrix).read(matrix.data, host.row(0), bytes_of(matrix));
    return hwgcn::download(host);
}

void upload(std::span<const float> numbers, MatrixView out) {
    DenseMatrix host(out.rows, out.columns);
    hwgcn::upload(numbers, host);
    device_at(out).write(host.row(0), out.data, bytes_of(out));
}

void fill(MatrixView out, float value) {
    device_at(out).run("fill", over_rows_of(out), out, out.rows, out.columns, stride_of(out), value);
}

void clear_padding(MatrixView out) {
    device_at(out).run("clear_padding", over_rows_of(out), out, out.rows, out.columns, stride_of(out));
}

std::vector<DenseMatrix> copies_of_runs(ConstMatrixView matrix) {
    Device& device = device_at(matrix);
    std::vector<DenseMatrix> copies;
    std::vector<void*> places;
    for (std::size_t run = 0; run < device.runs_of(matrix.data); ++run)
        places.push_back(copies.emplace_back(matrix.rows, matrix.columns).row(0));
    device.read_runs(matrix.data, places, bytes_of(matrix));
    return copies;
}

void set_runs(std::span<const ConstMatrixView> copies, MatrixView out) {
    std::vector<const void*> places;
    for (const ConstMatrixView& copy : copies)
        places.push_back(copy.data);
    device_at(out).write_runs(places, out.data, bytes_of(out));
}

void copy_where(ConstMatrixView chosen, Index column, ConstMatrixView x, MatrixView out) {
    device_at(out).run("copy_where", over_numbers_of(x), chosen, column, x, out, count_of(x));
}

}  // namespace hwgcn::opencl
