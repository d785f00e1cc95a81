#include "autodiff/ops.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/layer_normalization.hpp"
#include "tensor/normalization.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

// Where the gradients of a normalisation go, of those that are wanted.
NormalizationGradients gradients_of(Tape& tape, Variable x, Variable scale, Variable offset) {
    NormalizationGradients targets;
    if (tape.is_differentiable(scale)) targets.scale = tape.gradient_sum(scale);
    if (tape.is_differentiable(offset)) targets.offset = tape.gradient_sum(offset);
    if (tape.is_differentiable(x)) {
        const auto [target, write] = tape.gradient_target(x);
        targets.x = target;
        targets.write = write;
    }
    return targets;
}

}  // namespace

Variable batch_normalize(Tape& tape, Variable x, Variable scale, Variable offset, double floor,
                         BatchMoments* found) {
    const ConstMatrixView in = tape.value(x);
    Workspace& memory = tape.workspace();
    const BatchNormalization kept{memory.matrix(in.rows, in.columns), memory.matrix(1, in.columns),
                                  memory.matrix(1, in.columns), memory.matrix(1, in.columns)};
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    batch_normalize(in, tape.value(scale), tape.value(offset), floor, kept, out, tape.rows(x),
                    tape.control());
    if (found != nullptr) *found = {kept.means, kept.variances, kept.factors};
    return tape.result(out, {x, scale, offset}, tape.nodes(x), [=, &tape](ConstMatrixView gradient) {
        batch_normalize_gradients(kept, gradient, gradients_of(tape, x, scale, offset), tape.rows(x),
                                  tape.control());
    });
}

Variable layer_normalize(Tape& tape, Variable x, Variable scale, Variable offset) {
    const ConstMatrixView in = tape.value(x);
    const ConstMatrixView learned = tape.value(scale);
    const MatrixView kept = tape.workspace().matrix(2, in.rows);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    layer_normalize(in, learned, tape.value(offset), kept, out, tape.control());
    return tape.result(out, {x, scale, offset}, tape.nodes(x), [=, &tape](ConstMatrixView gradient) {
        layer_normalize_gradients({in, learned, kept}, gradient, gradients_of(tape, x, scale, offset),
                                  tape.control());
    });
}

Variable mix_blocks(Tape& tape, Variable x, Variable weights) {
    const ConstMatrixView in = tape.value(x);
    const Index blocks = tape.value(weights).columns;
    const Index columns = in.columns / blocks;
    const MatrixView share = tape.workspace().matrix(1, blocks);
    activate(Activation::softmax, tape.value(weights), share);
    const MatrixView out = tape.workspace().matrix(in.rows, columns);
    const MatrixView block = tape.workspace().matrix(in.rows, columns);
    fill(out, 0.0F);
    for (Index b = 0; b < blocks; ++b) {
        copy_columns(in, b * columns, columns, block, 0, Write::replace);
        scale({.row = share, .column = b}, block, out, Write::add);
    }
    return tape.result(out, {x, weights}, tape.nodes(x), [=, &tape](ConstMatrixView gradient) {
        if (tape.is_differentiable(weights))
            add_mixing_gradient(in, share, gradient, tape.gradient_sum(weights), tape.rows(x));
        if (!tape.is_differentiable(x)) return;
        const MatrixView target = tape.gradient_sum(x);
        for (Index b = 0; b < blocks; ++b) {
            scale({.row = share, .column = b}, gradient, block, Write::replace);
            copy_columns(block, 0, columns, target, b * columns, Write::add);
        }
    });
}

}  // namespace hwgcn
