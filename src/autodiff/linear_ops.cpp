#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "autodiff/ops.hpp"
#include "operators/foreign_product.hpp"
#include "tensor/dropout.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

MatrixView transposed(Workspace& workspace, ConstMatrixView a) {
    const MatrixView result = workspace.matrix(a.columns, a.rows);
    transpose(a, result);
    return result;
}

Variable copy_rows(Tape& tape, Variable x, std::span<const Index> rows, std::span<const Index> nodes) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(static_cast<Index>(rows.size()), in.columns);
    gather_rows(in, rows, out, tape.control());
    return tape.result(out, {x}, nodes, [&tape, x, rows](ConstMatrixView gradient) {
        scatter_add_rows(gradient, rows, tape.gradient_sum(x));
    });
}

// <gradient, x>, a sum for each part, last part first: as if each had gone through the tape alone.
void add_part_dots(Tape& tape, ConstMatrixView gradient, const Parts& x, MatrixView out, Index column) {
    const SummedRows rows = tape.rows(x.whole);
    if (x.parts.size() == 1) return add_dot(gradient, tape.value(x.whole), out, column, rows);
    Index end = gradient.columns;
    for (auto part = x.parts.rbegin(); part != x.parts.rend(); ++part) {
        const ConstMatrixView in = tape.value(*part);
        end -= in.columns;
        const MatrixView own = tape.workspace().matrix(in.rows, in.columns);
        copy_columns(gradient, end, in.columns, own, 0, Write::replace);
        add_dot(own, in, out, column, rows);
    }
}

}  // namespace

Variable multiply(Tape& tape, const RowSlice& x, const DropMask* mask, Variable theta,
                  std::span<const Index> nodes, const DropMask* kept_nodes) {
    const ConstMatrixView parameters = tape.value(theta);
    const MatrixView out = tape.workspace().matrix(x.matrix->rows, parameters.columns);
    KeptEntries kept = mask != nullptr ? KeptEntries{mask->bits, x.origin, mask->scale} : KeptEntries{};
    if (kept_nodes != nullptr && kept_nodes->layout == nullptr) {
        kept.rows = kept_nodes->bits;
        kept.nodes = nodes;
    }
    const bool all = mask == nullptr;
    multiply(*x.matrix, all ? nullptr : &kept, parameters, out, Write::replace, tape.control());
    const SummedRows rows{tape.layout(), nodes};
    return tape.result(out, {theta}, nodes, [&tape, &x, kept, all, theta, rows](ConstMatrixView gradient) {
        add_transposed_product(*x.matrix, all ? nullptr : &kept, gradient, tape.gradient_sum(theta),
                               tape.control(), rows);
    });
}

Variable multiply(Tape& tape, Variable a, Variable b) {
    const ConstMatrixView left = tape.value(a);
    const ConstMatrixView right = tape.value(b);
    const MatrixView out = tape.workspace().matrix(left.rows, right.columns);
    multiply(left, right, out, Write::replace, tape.control());
    return tape.result(out, {a, b}, tape.nodes(a), [&tape, a, b, left, right](ConstMatrixView gradient) {
        if (tape.is_differentiable(a)) {
            const auto [target, write] = tape.gradient_target(a);
            multiply(gradient, transposed(tape.workspace(), right), target, write, tape.control());
        }
        if (tape.is_differentiable(b))
            add_transposed_product(left, gradient, tape.gradient_sum(b), tape.control(), tape.rows(a));
    });
}

Variable propagate(Tape& tape, const Step& step, Variable h) {
    const ConstMatrixView in = tape.value(h);
    const auto outputs = static_cast<Index>(step.outputs->size());
    if (step.blocks > 1 && in.columns % 16 != 0)
        throw std::logic_error("operators side by side need columns in multiples of 16");
    const MatrixView out = tape.workspace().matrix(outputs, step.blocks * in.columns);
    multiply_with_foreign(*step.forward.matrix, step.foreign_inputs.get(), in, pieces(out, step.blocks),
                          Write::replace, tape.workspace(), tape.control());
    return tape.result(out, {h}, *step.outputs, [&tape, &step, h](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(h);
        multiply_with_foreign(*step.transposed, step.foreign_outputs.get(), pieces(gradient, step.blocks),
                              target, write, tape.workspace(), tape.control());
    });
}

Variable at_outputs(Tape& tape, const Step& step, Variable h) {
    // Of the same nodes nothing is copied, here and on the way back. (Parameters have rows, but no nodes.)
    if (step.inputs == step.outputs && tape.nodes(h).size() == step.outputs->size()) return h;
    return copy_rows(tape, h, step.position, *step.outputs);
}

Variable select_rows(Tape& tape, Variable x, std::span<const Index> rows, std::span<const Index> nodes) {
    return copy_rows(tape, x, rows, nodes);
}

Variable select_columns(Tape& tape, Variable x, Index first, Index count) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, count);
    copy_columns(in, first, count, out, 0, Write::replace);
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, first, count](ConstMatrixView gradient) {
        copy_columns(gradient, 0, count, tape.gradient_sum(x), first, Write::add);
    });
}

Variable scale_rows(Tape& tape, Variable x, ConstMatrixView factors) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    scale_rows(factors, in, out, Write::replace);
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, factors](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        scale_rows(factors, gradient, target, write);
    });
}

Variable scale_columns(Tape& tape, Variable x, ConstMatrixView factors) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    scale_columns(factors, in, out, Write::replace);
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, factors](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        scale_columns(factors, gradient, target, write);
    });
}

Variable combine(Tape& tape, float a, Variable x, float b, Variable y) {
    const ConstMatrixView first = tape.value(x);
    const MatrixView out = tape.workspace().matrix(first.rows, first.columns);
    scale({a}, first, out, Write::replace, tape.control());
    scale({b}, tape.value(y), out, Write::add, tape.control());
    return tape.result(out, {x, y}, tape.nodes(x), [&tape, a, x, b, y](ConstMatrixView gradient) {
        const auto pass_on = [&](Variable input, float factor) {
            if (!tape.is_differentiable(input)) return;
            const auto [target, write] = tape.gradient_target(input);
            scale({factor}, gradient, target, write, tape.control());
        };
        pass_on(x, a);
        pass_on(y, b);
    });
}

Variable add_multiple(Tape& tape, std::optional<Variable> sum, Variable weights, Index k, const Parts& x) {
    const ConstMatrixView in = tape.value(x.whole);
    const Factor weight{.row = tape.value(weights), .column = k};
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    if (sum) copy(tape.value(*sum), out);
    scale(weight, in, out, sum ? Write::add : Write::replace, tape.control());
    std::vector<Variable> inputs{weights, x.whole};
    if (sum) inputs.push_back(*sum);
    return tape.result(out, inputs, tape.nodes(x.whole), [=, &tape](ConstMatrixView gradient) {
        if (sum && tape.is_differentiable(*sum)) {
            const auto [target, write] = tape.gradient_target(*sum);
            scale({1.0F}, gradient, target, write, tape.control());
        }
        if (tape.is_differentiable(weights)) add_part_dots(tape, gradient, x, tape.gradient_sum(weights), k);
        if (!tape.is_differentiable(x.whole)) return;
        const auto [target, write] = tape.gradient_target(x.whole);
        scale(weight, gradient, target, write, tape.control());
    });
}

Variable add_row(Tape& tape, Variable x, Variable bias) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    add_row(in, tape.value(bias), out, tape.control());
    return tape.result(out, {x, bias}, tape.nodes(x), [&tape, x, bias](ConstMatrixView gradient) {
        if (tape.is_differentiable(x)) {
            const auto [target, write] = tape.gradient_target(x);
            scale({1.0F}, gradient, target, write, tape.control());
        }
        if (tape.is_differentiable(bias))
            add_column_sums(gradient, tape.gradient_sum(bias), tape.control(), tape.rows(x));
    });
}

Variable hidden_layer(Tape& tape, Variable x, Variable bias, const HiddenMasks& masks) {
    const ConstMatrixView in = tape.value(x);
    const std::span<const Index> nodes = tape.nodes(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    apply_hidden(in, tape.value(bias), nodes, masks, out, tape.control());
    return tape.result(out, {x, bias}, nodes, [=, &tape](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(x);
        const bool fresh = write == Write::replace;
        const MatrixView before = fresh ? target : tape.workspace().matrix(out.rows, out.columns);
        hidden_gradient(out, masks, gradient, before, tape.control());
        if (tape.is_differentiable(bias))
            add_column_sums(before, tape.gradient_sum(bias), tape.control(), tape.rows(x));
        if (masks.nodes) {
            apply_dropout(before, nodes, *masks.nodes, target, write, tape.control());
        } else if (!fresh) {
            scale({1.0F}, before, target, write, tape.control());
        }
    });
}

Variable concatenate(Tape& tape, std::span<const Variable> parts) {
    Index columns = 0;
    for (const Variable part : parts)
        columns += tape.value(part).columns;
    const MatrixView out = tape.workspace().matrix(tape.value(parts.front()).rows, columns);
    const auto for_each_part = [](const Tape& where, std::span<const Variable> all, const auto& use) {
        Index first = 0;
        for (const Variable part : all) {
            const Index count = where.value(part).columns;
            use(part, first, count);
            first += count;
        }
    };
    for_each_part(tape, parts, [&](Variable part, Index first, Index count) {
        copy_columns(tape.value(part), 0, count, out, first, Write::replace);
    });
    std::vector<Variable> inputs(parts.begin(), parts.end());
    return tape.result(out, inputs, tape.nodes(parts.front()),
                       [&tape, inputs, for_each_part](ConstMatrixView gradient) {
                           for_each_part(tape, inputs, [&](Variable part, Index first, Index count) {
                               if (!tape.is_differentiable(part)) return;
                               const auto [target, write] = tape.gradient_target(part);
                               copy_columns(gradient, first, count, target, 0, write);
                           });
                       });
}

}  // namespace hwgcn
