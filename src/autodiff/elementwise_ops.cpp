#include <algorithm>

#include "autodiff/ops.hpp"
#include "tensor/dropout.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/losses.hpp"

namespace hwgcn {
namespace {

Variable apply(Tape& tape, Activation activation, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    activate(activation, in, out, tape.control());
    return tape.result(out, {x}, tape.nodes(x), [&tape, activation, x, out](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        activation_gradient(activation, out, gradient, target, write, tape.control());
    });
}

}  // namespace

Variable relu(Tape& tape, Variable x) {
    return apply(tape, Activation::relu, x);
}

Variable elu(Tape& tape, Variable x) {
    return apply(tape, Activation::elu, x);
}

Variable tanh(Tape& tape, Variable x) {
    return apply(tape, Activation::tanh, x);
}

Variable gelu(Tape& tape, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    gelu(in, out, tape.control());
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, in](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        gelu_gradient(in, gradient, target, write, tape.control());
    });
}

Variable softmax(Tape& tape, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    activate(Activation::softmax, in, out);
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, out](ConstMatrixView gradient) {
        activation_gradient(Activation::softmax, out, gradient, tape.gradient_sum(x), Write::add);
    });
}

Variable drop(Tape& tape, Variable x, const DropMask& mask) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    const std::span<const Index> nodes = tape.nodes(x);
    apply_dropout(in, nodes, mask, out, Write::replace, tape.control());
    return tape.result(out, {x}, nodes, [&tape, x, nodes, mask](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        apply_dropout(gradient, nodes, mask, target, write, tape.control());
    });
}

Variable squared_distance(Tape& tape, Variable x, ConstMatrixView y) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView difference = tape.workspace().matrix(in.rows, in.columns);
    const MatrixView out = tape.workspace().matrix(1, 1);
    const auto rows =
        static_cast<float>(std::max<std::int64_t>(squared_distance(in, y, difference, out, tape.rows(x)), 1));
    return tape.result(out, {x}, {}, [&tape, x, difference, rows](ConstMatrixView gradient) {
        const Factor factor{.multiplier = 2.0F, .row = gradient, .divisor = rows};
        scale(factor, difference, tape.gradient_sum(x), Write::add);
    });
}

Variable cross_entropy(Tape& tape, Variable scores, std::span<const Index> labels,
                       std::span<const float> weights) {
    const ConstMatrixView in = tape.value(scores);
    const MatrixView errors = tape.workspace().matrix(in.rows, in.columns);
    const MatrixView out = tape.workspace().matrix(1, 1);
    const auto rows = static_cast<float>(cross_entropy(in, labels, weights, errors, out, tape.rows(scores)));
    return tape.result(out, {scores}, {}, [&tape, scores, errors, rows](ConstMatrixView gradient) {
        const Factor factor{.row = gradient, .divisor = rows};
        scale(factor, errors, tape.gradient_sum(scores), Write::add);
    });
}

}  // namespace hwgcn
