#include <algorithm>
#include <cmath>

#include "autodiff/ops.hpp"
#include "linalg/cpu/elementwise_kernels.hpp"

namespace hwgcn {
namespace {

// y = f(x), with the derivative written in terms of y. The padding must stay zero: f(0) = 0.
template <typename Function, typename Derivative>
Variable apply(Tape& tape, Variable x, const Function& function, const Derivative& derivative) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    function(in.data, out.data, in.size());
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, out, derivative](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        const std::size_t count = target.size();
        if (write == Write::replace) {
            for (std::size_t k = 0; k < count; ++k)
                target.data[k] = gradient.data[k] * derivative(out.data[k]);
        } else {
            for (std::size_t k = 0; k < count; ++k)
                target.data[k] += gradient.data[k] * derivative(out.data[k]);
        }
    });
}

}  // namespace

Variable relu(Tape& tape, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    cpu::keep_where_positive(in.data, in.data, out.data, in.size(), Write::replace);
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, out](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        cpu::keep_where_positive(out.data, gradient.data, target.data, target.size(), write);
    });
}

Variable elu(Tape& tape, Variable x) {
    return apply(
        tape, x,
        [](const float* in, float* out, std::size_t count) {
            cpu::exponentials(in, out, count);
            for (std::size_t k = 0; k < count; ++k)
                out[k] = in[k] > 0.0F ? in[k] : out[k] - 1.0F;
        },
        [](float y) { return y > 0.0F ? 1.0F : y + 1.0F; });
}

// tanh x = sign(x) (1 - e) / (1 + e) with e = exp(-2|x|): no overflow, exact at 0.
Variable tanh(Tape& tape, Variable x) {
    return apply(
        tape, x,
        [](const float* in, float* out, std::size_t count) {
            for (std::size_t k = 0; k < count; ++k)
                out[k] = -2.0F * std::abs(in[k]);
            cpu::exponentials(out, out, count);
            for (std::size_t k = 0; k < count; ++k)
                out[k] = std::copysign((1.0F - out[k]) / (1.0F + out[k]), in[k]);
        },
        [](float y) { return 1.0F - y * y; });
}

namespace {

// out = the kept numbers of `in`, scaled; rows are the nodes `nodes`.
void keep_numbers(ConstMatrixView in, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                  Write write) {
    const std::size_t stride = in.stride();
    for (Index i = 0; i < in.rows; ++i) {
        const std::size_t first_bit = static_cast<std::size_t>(nodes[i]) * stride;
        cpu::keep_numbers(in.row(i), mask.bits.data(), first_bit, mask.scale, out.row(i), stride, write);
    }
}

}  // namespace

Variable drop(Tape& tape, Variable x, const DropMask& mask) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    const std::span<const Index> nodes = tape.nodes(x);
    keep_numbers(in, nodes, mask, out, Write::replace);
    return tape.result(out, {x}, nodes, [&tape, x, nodes, mask](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        keep_numbers(gradient, nodes, mask, target, write);
    });
}

// With p the result, x gets p (g - <g, p>) in each row.
Variable softmax(Tape& tape, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    cpu::softmax_rows(in, out, nullptr, {0, in.rows});
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, out](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        for (Index i = 0; i < out.rows; ++i) {
            float mean = 0.0F;
            for (Index c = 0; c < out.columns; ++c)
                mean += gradient.at(i, c) * out.at(i, c);
            for (Index c = 0; c < out.columns; ++c)
                target.at(i, c) += out.at(i, c) * (gradient.at(i, c) - mean);
        }
    });
}

Variable squared_distance(Tape& tape, Variable x, ConstMatrixView y) {
    const ConstMatrixView in = tape.value(x);
    double sum = 0;
    for (std::size_t k = 0; k < in.size(); ++k) {
        const double difference = static_cast<double>(in.data[k]) - static_cast<double>(y.data[k]);
        sum += difference * difference;
    }
    const MatrixView out = tape.workspace().matrix(1, 1);
    const Index rows = std::max<Index>(in.rows, 1);
    out.at(0, 0) = static_cast<float>(sum / rows);
    return tape.result(out, {x}, {}, [&tape, x, in, y, rows](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        const float factor = 2.0F * gradient.at(0, 0) / static_cast<float>(rows);
        for (std::size_t k = 0; k < target.size(); ++k)
            target.data[k] += factor * (in.data[k] - y.data[k]);
    });
}

Variable cross_entropy(Tape& tape, Variable scores, std::span<const Index> labels) {
    const ConstMatrixView in = tape.value(scores);
    const MatrixView probabilities = tape.workspace().matrix(in.rows, in.columns);
    std::vector<double> log_sums(static_cast<std::size_t>(in.rows));
    cpu::softmax_rows(in, probabilities, log_sums.data(), {0, in.rows});
    double sum = 0;
    for (Index i = 0; i < in.rows; ++i)
        sum += log_sums[i] - static_cast<double>(in.at(i, labels[i]));
    const MatrixView out = tape.workspace().matrix(1, 1);
    out.at(0, 0) = static_cast<float>(sum / std::max<Index>(in.rows, 1));
    // The gradient is (softmax - indicator of the label) / rows.
    return tape.result(out, {scores}, {}, [&tape, scores, labels, probabilities](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(scores);
        const float factor = gradient.at(0, 0) / static_cast<float>(target.rows);
        for (Index i = 0; i < target.rows; ++i) {
            for (Index c = 0; c < target.columns; ++c) {
                const float indicator = labels[i] == c ? 1.0F : 0.0F;
                target.at(i, c) += factor * (probabilities.at(i, c) - indicator);
            }
        }
    });
}

}  // namespace hwgcn
