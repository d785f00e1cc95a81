#include "autodiff/attention.hpp"

#include <limits>

#include "hwgcn/base/error.hpp"

#include "autodiff/ops.hpp"
#include "tensor/attention.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

// 1 where the lane is one of the row's head, k mod heads, 0 elsewhere.
MatrixView lanes_of_rows(Workspace& workspace, Index rows, Index heads) {
    const Index lanes = head_lanes(heads);
    std::vector<float> numbers;
    for (Index k = 0; k < rows; ++k) {
        for (Index lane = 0; lane < lanes; ++lane)
            numbers.push_back(lane % heads == k % heads ? 1.0F : 0.0F);
    }
    const MatrixView result = workspace.matrix(rows, lanes);
    upload(numbers, result);
    return result;
}

}  // namespace

// Row k of the matrix belongs to a unit of head k mod heads, and so do the columns l = k mod heads.
Variable attention_matrix(Tape& tape, Variable self, Variable neighbor, Index heads) {
    const Index lanes = head_lanes(heads);
    const Index rows = tape.value(self).columns;
    const MatrixView own_lanes = lanes_of_rows(tape.workspace(), rows, heads);
    const MatrixView half = tape.workspace().matrix(rows, lanes);
    const MatrixView out = tape.workspace().matrix(rows, 2 * lanes);
    const auto put = [&](Variable input, Index first) {
        scale_rows(tape.value(input), own_lanes, half, Write::replace);
        copy_columns(half, 0, lanes, out, first, Write::replace);
    };
    put(self, 0);
    put(neighbor, lanes);
    return tape.result(out, {self, neighbor}, {}, [=, &tape](ConstMatrixView gradient) {
        const auto pass_on = [&](Variable input, Index first) {
            if (!tape.is_differentiable(input)) return;
            copy_columns(gradient, first, lanes, half, 0, Write::replace);
            add_row_dots(half, own_lanes, tape.gradient_sum(input));
        };
        pass_on(self, 0);
        pass_on(neighbor, lanes);
    });
}

Variable attend(Tape& tape, const Step& step, Index heads, Variable scores, Variable values,
                const DropMask* mask) {
    const CsrMatrix<float>& matrix = *step.forward.matrix;
    if (matrix.entries() > std::numeric_limits<Index>::max())
        throw InputError("attention: the operator has more entries than can be counted; use a lower order");
    const auto entries = static_cast<Index>(matrix.entries());
    const Index lanes = head_lanes(heads);
    Attention attention{.matrix = &matrix,
                        .transposed = step.transposed.get(),
                        .position = step.position,
                        .heads = heads,
                        .scores = tape.value(scores),
                        .values = tape.value(values),
                        .dropout = {},
                        .coefficients = tape.workspace().matrix(entries, lanes),
                        .kept = {}};
    attention.kept = attention.coefficients;
    if (mask != nullptr) {
        attention.dropout = KeptEntries{mask->bits, step.forward.origin, mask->scale};
        attention.kept = tape.workspace().matrix(entries, lanes);
    }
    const MatrixView out = tape.workspace().matrix(matrix.rows, tape.value(values).columns);
    attend(attention, out, tape.control());
    return tape.result(out, {scores, values}, *step.outputs,
                       [&tape, attention, scores, values](ConstMatrixView gradient) {
                           AttentionGradients targets;
                           if (tape.is_differentiable(scores)) targets.scores = tape.gradient_sum(scores);
                           if (tape.is_differentiable(values)) {
                               const auto [target, write] = tape.gradient_target(values);
                               targets.values = target;
                               targets.write = write;
                           }
                           attend_gradients(attention, gradient, tape.workspace(), targets, tape.control());
                       });
}

// A product with the matrix that has 1 / heads where row and column are of the same unit.
Variable mean_of_heads(Tape& tape, Variable h, Index heads) {
    const Index columns = tape.value(h).columns;
    const Index units = columns / heads;
    std::vector<float> numbers;
    for (Index k = 0; k < columns; ++k) {
        for (Index unit = 0; unit < units; ++unit)
            numbers.push_back(k / heads == unit ? 1.0F / static_cast<float>(heads) : 0.0F);
    }
    const MatrixView mean = tape.workspace().matrix(columns, units);
    upload(numbers, mean);
    return multiply(tape, h, tape.constant(mean));
}

}  // namespace hwgcn
