#include "tensor/rows.hpp"

#include <algorithm>
#include <functional>

#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

// Rows that are all different can be written at the same time.
bool are_distinct(std::span<const Index> rows, Index count) {
    if (std::ranges::adjacent_find(rows, std::greater_equal<>()) == rows.end()) return true;  // they ascend
    std::vector<bool> seen(static_cast<std::size_t>(count));
    for (const Index row : rows) {
        if (seen[static_cast<std::size_t>(row)]) return false;
        seen[static_cast<std::size_t>(row)] = true;
    }
    return true;
}

}  // namespace

void gather_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out, const ExecutionControl&) {
    device_at(out).run("gather_rows", over_rows_of(out), x, rows, stride_of(out), out, out.rows);
}

void gather_row_sums(std::span<const RowSums> sums, std::span<const Index> rows, float factor,
                     const ExecutionControl&) {
    Device& device = device_at(sums.front().out);
    for (const RowSums& sum : sums) {
        for (std::size_t k = 0; k < sum.parts.size(); ++k) {
            const bool is_last = k + 1 == sum.parts.size();
            device.run("gather_row_part", over_rows_of(sum.out), sum.parts[k], rows, stride_of(sum.out),
                       sum.out, sum.out.rows, Index{k > 0 ? 1 : 0}, is_last ? factor : 1.0F);
        }
    }
}

void scatter_add_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out) {
    Device& device = device_at(out);
    if (are_distinct(rows, out.rows)) {
        device.run("scatter_add_rows", over_rows_of(x), x, rows, stride_of(x), out, x.rows);
    } else {
        device.run("scatter_add_repeated_rows", over_numbers(x.stride()), x, rows, stride_of(x), out, x.rows);
    }
}

void copy_columns(ConstMatrixView x, Index first, Index count, MatrixView out, Index to, Write write) {
    Device& device = device_at(out);
    if (write == Write::replace && count == x.columns && count == out.columns &&
        gpu::Device::of(x.data) == &device)  // the whole matrix
        return device.copy(x.data, out.data, x.size());
    device.run("copy_columns", over_rows(static_cast<std::size_t>(x.rows), row_stride(count)), x,
               stride_of(x), first, count, out, stride_of(out), to, x.rows, is_added(write));
}

void scale_rows(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write) {
    device_at(out).run("scale_rows", over_rows_of(x), factors, x, stride_of(x), out, x.rows, is_added(write));
}

void scale_columns(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write) {
    device_at(out).run("scale_columns", over_rows_of(x), factors, x, stride_of(x), out, x.rows,
                       is_added(write));
}

void add_row(ConstMatrixView x, ConstMatrixView row, MatrixView out, const ExecutionControl&) {
    device_at(out).run("add_row", over_rows_of(x), x, row, stride_of(x), out, x.rows);
}

void add_column_sums(ConstMatrixView x, MatrixView out, const ExecutionControl&, const SummedRows& rows) {
    Device& device = device_at(out);
    expect_no_blocks(rows);
    const Pieces pieces = row_pieces(x.rows);
    const std::uint64_t stride = x.stride();
    const Reals sums = device.real_scratch(stride * static_cast<std::size_t>(pieces.count));
    device.run("column_sum_pieces", over_rows(static_cast<std::size_t>(pieces.count), stride), x,
               stride_of(x), x.rows, pieces.size, pieces.count, sums);
    device.run("add_pieces", over_numbers(stride), sums, pieces.count, stride, out, 1.0F);
}

void add_row_dots(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
    device_at(out).run("add_row_dots", over_numbers(static_cast<std::size_t>(a.rows)), a, b, stride_of(a),
                       a.columns, a.rows, out);
}

void transpose(ConstMatrixView x, MatrixView out) {
    device_at(out).run("transpose", over_rows_of(out), x, stride_of(x), out, stride_of(out), out.rows,
                       out.columns);
}

}  // namespace hwgcn::opencl
