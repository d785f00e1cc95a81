#include "tensor/elementwise.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

#include "tensor/cpu/elementwise_kernels.hpp"
#include "tensor/factor_value.hpp"
#include "tensor/finite.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {
namespace {

// Multiplications that cost about as much as a number of an exponential.
constexpr std::int64_t exponential_work = 16;

std::int64_t size_of(ConstMatrixView x) {
    return static_cast<std::int64_t>(x.size());
}

std::size_t numbers_in(RowRange rows, ConstMatrixView x) {
    return static_cast<std::size_t>(rows.end - rows.begin) * x.stride();
}

void elu(const float* in, float* out, std::size_t count) {
    cpu::exponentials(in, out, count);
    for (std::size_t k = 0; k < count; ++k)
        out[k] = in[k] > 0.0F ? in[k] : out[k] - 1.0F;
}

// tanh x = sign(x) (1 - e) / (1 + e) with e = exp(-2|x|): no overflow, exact at 0.
void hyperbolic_tangent(const float* in, float* out, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        out[k] = -2.0F * std::abs(in[k]);
    cpu::exponentials(out, out, count);
    for (std::size_t k = 0; k < count; ++k)
        out[k] = std::copysign((1.0F - out[k]) / (1.0F + out[k]), in[k]);
}

// Gradient times the derivative, which is written in terms of y.
template <typename Derivative>
void apply_derivative(ConstMatrixView y, ConstMatrixView gradient, MatrixView out, Write write,
                      const Derivative& derivative) {
    const std::size_t count = out.size();
    if (write == Write::replace) {
        for (std::size_t k = 0; k < count; ++k)
            out.data[k] = gradient.data[k] * derivative(y.data[k]);
    } else {
        for (std::size_t k = 0; k < count; ++k)
            out.data[k] += gradient.data[k] * derivative(y.data[k]);
    }
}

// x gets y (g - <g, y>) in each row.
void softmax_gradient(ConstMatrixView y, ConstMatrixView gradient, MatrixView out, Write write) {
    for (Index i = 0; i < y.rows; ++i) {
        float mean = 0.0F;
        for (Index c = 0; c < y.columns; ++c)
            mean += gradient.at(i, c) * y.at(i, c);
        for (Index c = 0; c < y.columns; ++c) {
            const float result = y.at(i, c) * (gradient.at(i, c) - mean);
            out.at(i, c) = write == Write::add ? out.at(i, c) + result : result;
        }
    }
}

// The padding must stay zero: f(0) = 0.
void activate_all(Activation activation, ConstMatrixView x, MatrixView out) {
    switch (activation) {
        case Activation::relu:
            return cpu::keep_where_positive(x.data, x.data, out.data, x.size(), Write::replace);
        case Activation::elu:
            return elu(x.data, out.data, x.size());
        case Activation::tanh:
            return hyperbolic_tangent(x.data, out.data, x.size());
        case Activation::softmax:
            return cpu::softmax_rows(x, out, nullptr, {0, x.rows});
    }
}

void apply_gradient(Activation activation, ConstMatrixView y, ConstMatrixView gradient, MatrixView out,
                    Write write) {
    switch (activation) {
        case Activation::relu:
            return cpu::keep_where_positive(y.data, gradient.data, out.data, out.size(), write);
        case Activation::elu:
            return apply_derivative(y, gradient, out, write,
                                    [](float at) { return at > 0.0F ? 1.0F : at + 1.0F; });
        case Activation::tanh:
            return apply_derivative(y, gradient, out, write, [](float at) { return 1.0F - at * at; });
        case Activation::softmax:
            return softmax_gradient(y, gradient, out, write);
    }
}

// In the bits, without a branch: the compiler makes vectors of it. This is done in every epoch.
std::size_t infinite_of(ConstMatrixView matrix) {
    constexpr std::uint32_t exponent = 0x7F800000;  // all ones: infinite or NaN
    std::size_t found = 0;
    for (std::size_t k = 0; k < matrix.size(); ++k)
        found += (std::bit_cast<std::uint32_t>(matrix.data[k]) & exponent) == exponent ? 1U : 0U;
    return found;
}

std::int64_t work_of(Activation activation, ConstMatrixView x) {
    return (activation == Activation::relu ? memory_work : exponential_work) * size_of(x);
}

}  // namespace

void scale(const Factor& factor, ConstMatrixView x, MatrixView out, Write write,
           const ExecutionControl& control) {
    const float value = value_of(factor);
    for_row_ranges(x.rows, memory_work * size_of(x), control, [&](RowRange rows) {
        cpu::scale_numbers(value, x.row(rows.begin), out.row(rows.begin), numbers_in(rows, x), write);
    });
}

void activate(Activation activation, ConstMatrixView x, MatrixView out, const ExecutionControl& control) {
    for_row_ranges(x.rows, work_of(activation, x), control,
                   [&](RowRange rows) { activate_all(activation, part_of(x, rows), part_of(out, rows)); });
}

void activation_gradient(Activation activation, ConstMatrixView y, ConstMatrixView gradient, MatrixView out,
                         Write write, const ExecutionControl& control) {
    for_row_ranges(y.rows, memory_work * size_of(y), control, [&](RowRange rows) {
        apply_gradient(activation, part_of(y, rows), part_of(gradient, rows), part_of(out, rows), write);
    });
}

void gelu(ConstMatrixView x, MatrixView out, const ExecutionControl& control) {
    for_row_ranges(x.rows, exponential_work * size_of(x), control, [&](RowRange rows) {
        cpu::gelu(x.row(rows.begin), out.row(rows.begin), numbers_in(rows, x));
    });
}

void gelu_gradient(ConstMatrixView x, ConstMatrixView gradient, MatrixView out, Write write,
                   const ExecutionControl& control) {
    for_row_ranges(x.rows, exponential_work * size_of(x), control, [&](RowRange rows) {
        cpu::gelu_gradient(x.row(rows.begin), gradient.row(rows.begin), out.row(rows.begin),
                           numbers_in(rows, x), write);
    });
}

void add_dot(ConstMatrixView a, ConstMatrixView b, MatrixView out, Index column, const SummedRows& rows) {
    const auto add = [&](RowRange range, std::span<double> sum) {
        double dot = sum[0];
        for (Index i = range.begin; i < range.end; ++i) {
            const float* left = a.row(i);
            const float* right = b.row(i);
            for (Index k = 0; k < a.columns; ++k)
                dot += static_cast<double>(left[k]) * static_cast<double>(right[k]);
        }
        sum[0] = dot;
    };
    out.at(0, column) += static_cast<float>(sum_over_rows(rows, a.rows, 1, add).front());
}

void adam_step(const AdamStep& step, ConstMatrixView gradient, MatrixView value, MatrixView mean,
               MatrixView square) {
    cpu::adam_step(step, gradient.data, value.data, mean.data, square.data, value.size());
}

void count_infinite(std::span<const ConstMatrixView> matrices, MatrixView out) {
    std::size_t found = 0;
    for (const ConstMatrixView& matrix : matrices)
        found += infinite_of(matrix);
    out.at(0, 0) = static_cast<float>(found);
}

}  // namespace hwgcn::cpu
