#include "tensor/elementwise.hpp"

#include <utility>

#include "tensor/finite.hpp"
#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

constexpr std::int64_t numbers_per_piece = 256;

Pieces number_pieces(ConstMatrixView x) {
    return pieces_of(static_cast<std::int64_t>(x.size()), numbers_per_piece);
}

Grid over_pieces(const Pieces& pieces) {
    return over_numbers(static_cast<std::size_t>(pieces.count));
}

const char* kernel_of(Activation activation) {
    switch (activation) {
        case Activation::relu:
            return "relu";
        case Activation::elu:
            return "elu";
        case Activation::tanh:
            return "hyperbolic_tangent";
        case Activation::softmax:
            return "softmax";
    }
    return "";
}

void put_sum(Device& device, float factor, Reals numbers, const Pieces& pieces, MatrixView out, Write write) {
    device.run("sum_numbers", one_group(), numbers, static_cast<std::uint64_t>(pieces.count), factor, out,
               is_added(write));
}

}  // namespace

void scale(const Factor& factor, ConstMatrixView x, MatrixView out, Write write, const ExecutionControl&) {
    const Index column = factor.row.rows > 0 ? factor.column : -1;
    device_at(out).run("scale", over_numbers_of(x), factor.multiplier, factor.row, column, factor.divisor, x,
                       out, count_of(x), is_added(write));
}

void activate(Activation activation, ConstMatrixView x, MatrixView out, const ExecutionControl&) {
    Device& device = device_at(out);
    if (activation == Activation::softmax) {
        device.run("softmax_rows", over_numbers(static_cast<std::size_t>(x.rows)), x, out, stride_of(x),
                   x.columns, x.rows);
    } else {
        device.run(kernel_of(activation), over_numbers_of(x), x, out, count_of(x));
    }
}

void activation_gradient(Activation activation, ConstMatrixView y, ConstMatrixView gradient, MatrixView out,
                         Write write, const ExecutionControl&) {
    Device& device = device_at(out);
    const std::string kernel = std::string(kernel_of(activation)) + "_gradient";
    if (activation == Activation::softmax) {
        device.run(kernel, over_numbers(static_cast<std::size_t>(y.rows)), y, gradient, out, stride_of(y),
                   y.columns, y.rows, is_added(write));
    } else {
        device.run(kernel, over_numbers_of(y), y, gradient, out, count_of(y), is_added(write));
    }
}

void gelu(ConstMatrixView x, MatrixView out, const ExecutionControl&) {
    device_at(out).run("gelu", over_numbers_of(x), x, out, count_of(x));
}

void gelu_gradient(ConstMatrixView x, ConstMatrixView gradient, MatrixView out, Write write,
                   const ExecutionControl&) {
    device_at(out).run("gelu_gradient", over_numbers_of(x), x, gradient, out, count_of(x), is_added(write));
}

void put_dot(float factor, ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write) {
    Device& device = device_at(out);
    const Pieces pieces = number_pieces(a);
    const Reals sums = device.real_scratch(static_cast<std::size_t>(pieces.count));
    device.run("dot_pieces", over_pieces(pieces), a, b, count_of(a), std::uint64_t{numbers_per_piece},
               pieces.count, sums);
    put_sum(device, factor, sums, pieces, out, write);
}

void add_dot(ConstMatrixView a, ConstMatrixView b, MatrixView out, Index column, const SummedRows& rows) {
    expect_no_blocks(rows);
    put_dot(1.0F, a, b, number_at(out, column), Write::add);
}

void adam_step(const AdamStep& step, ConstMatrixView gradient, MatrixView value, MatrixView mean,
               MatrixView square) {
    device_at(value).run("adam_step", over_numbers_of(value), step.rate, step.root_scale, step.beta1,
                         step.beta2, step.epsilon, step.decay, gradient, value, mean, square,
                         count_of(value));
}

void count_infinite(std::span<const ConstMatrixView> matrices, MatrixView out) {
    Device& device = device_at(out);
    Write write = Write::replace;
    for (const ConstMatrixView& matrix : matrices) {
        const Pieces pieces = number_pieces(matrix);
        const Reals counts = device.real_scratch(static_cast<std::size_t>(pieces.count));
        device.run("count_infinite", over_pieces(pieces), matrix, count_of(matrix),
                   std::uint64_t{numbers_per_piece}, pieces.count, counts);
        put_sum(device, 1.0F, counts, pieces, out, std::exchange(write, Write::add));
    }
}

}  // namespace hwgcn::opencl
