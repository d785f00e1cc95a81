#include "tensor/normalization.hpp"

#include <algorithm>

#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

constexpr std::size_t mixing_group = 64;

Grid over_pieces(Pieces pieces, std::size_t stride) {
    return over_rows(static_cast<std::size_t>(pieces.count), stride);
}

}  // namespace

void add_normalization_gradients(Device& device, Reals sums, Pieces pieces, std::size_t stride,
                                 const NormalizationGradients& out) {
    device.run("add_normalization_gradients", over_numbers(stride), sums, pieces.count,
               static_cast<Index>(stride), out.scale, static_cast<int>(out.scale.rows > 0), out.offset,
               static_cast<int>(out.offset.rows > 0));
}

void batch_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, double floor,
                     const BatchNormalization& kept, MatrixView out, const SummedRows& rows,
                     const ExecutionControl&) {
    Device& device = device_at(out);
    expect_no_blocks(rows);
    const Pieces pieces = row_pieces(x.rows);
    const Index stride = stride_of(x);
    const Reals sums = device.real_scratch(static_cast<std::size_t>(pieces.count) * x.stride());
    const auto mean_to = [&](MatrixView means) {
        device.run("column_means", over_numbers(x.stride()), sums, pieces.count, stride, x.rows, means);
    };
    device.run("column_sum_pieces", over_pieces(pieces, x.stride()), x, stride, x.rows, pieces.size,
               pieces.count, sums);
    mean_to(kept.means);
    device.run("column_square_pieces", over_pieces(pieces, x.stride()), x, kept.means, stride, x.rows,
               pieces.size, pieces.count, sums);
    mean_to(kept.variances);
    device.run("batch_normalize", over_rows_of(x), x, kept.means, kept.variances, scale, offset,
               static_cast<float>(floor), kept.standard, kept.factors, out, stride, x.rows);
}

void fixed_normalization(ConstMatrixView means, ConstMatrixView variances, ConstMatrixView scale,
                         ConstMatrixView offset, double floor, MatrixView factors, MatrixView addends) {
    device_at(factors).run("fixed_normalization", over_numbers(means.stride()), means, variances, scale,
                           offset, static_cast<float>(floor), factors, addends, means.columns);
}

void batch_normalize_gradients(const BatchNormalization& kept, ConstMatrixView gradient,
                               const NormalizationGradients& out, const SummedRows& rows,
                               const ExecutionControl&) {
    Device& device = device_at(gradient);
    expect_no_blocks(rows);
    const Pieces pieces = row_pieces(gradient.rows);
    const Index stride = stride_of(gradient);
    const Reals sums = device.real_scratch(2 * static_cast<std::size_t>(pieces.count) * gradient.stride());
    device.run("batch_gradient_pieces", over_pieces(pieces, gradient.stride()), gradient, kept.standard,
               stride, gradient.rows, pieces.size, pieces.count, sums);
    add_normalization_gradients(device, sums, pieces, gradient.stride(), out);
    if (out.x.rows == 0) return;
    device.run("batch_normalize_gradient", over_rows_of(gradient), sums, gradient, kept.standard,
               kept.factors, out.x, stride, gradient.rows, is_added(out.write));
}

void add_mixing_gradient(ConstMatrixView x, ConstMatrixView share, ConstMatrixView gradient, MatrixView out,
                         const SummedRows& rows) {
    Device& device = device_at(out);
    expect_no_blocks(rows);
    const Pieces pieces = row_pieces(x.rows);
    const Index stride = stride_of(x);
    const std::size_t rows_of_sums = std::max<std::size_t>(static_cast<std::size_t>(pieces.count), 2);
    const Reals dots = device.real_scratch(rows_of_sums * x.stride());
    device.run("mixing_pieces", over_pieces(pieces, x.stride()), x, stride, x.columns, gradient,
               stride_of(gradient), gradient.columns, x.rows, pieces.size, pieces.count, dots);
    device.run("sum_mixing_pieces", over_numbers(x.stride()), dots, pieces.count, stride, x.columns);
    device.run("add_mixing_gradient", groups_of(mixing_group, 1), dots, stride, gradient.columns,
               share.columns, share, out);
}

}  // namespace hwgcn::opencl
