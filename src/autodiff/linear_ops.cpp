#include <algorithm>
#include <utility>

#include "autodiff/ops.hpp"

namespace hwgcn {
namespace {

MatrixView transposed(Workspace& workspace, ConstMatrixView a) {
    const MatrixView result = workspace.matrix(a.columns, a.rows);
    for (Index i = 0; i < a.rows; ++i) {
        for (Index j = 0; j < a.columns; ++j)
            result.at(j, i) = a.at(i, j);
    }
    return result;
}

void add_row(const float* from, float* to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        to[k] += from[k];
}

void write_row(const float* from, float* to, std::size_t count, Write write) {
    if (write == Write::add) return add_row(from, to, count);
    std::copy_n(from, count, to);
}

void multiply_rows(std::span<const float> factors, ConstMatrixView in, MatrixView out, Write write) {
    for (Index i = 0; i < in.rows; ++i) {
        const float* from = in.row(i);
        float* to = out.row(i);
        for (std::size_t k = 0; k < in.stride(); ++k)
            to[k] = write == Write::add ? to[k] + factors[i] * from[k] : factors[i] * from[k];
    }
}

Variable copy_rows(Tape& tape, Variable x, std::span<const Index> rows, std::span<const Index> nodes) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(static_cast<Index>(rows.size()), in.columns);
    for (Index i = 0; i < out.rows; ++i)
        std::copy_n(in.row(rows[i]), out.stride(), out.row(i));
    return tape.result(out, {x}, nodes, [&tape, x, rows](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        for (Index i = 0; i < gradient.rows; ++i)
            add_row(gradient.row(i), target.row(rows[i]), gradient.stride());
    });
}

}  // namespace

Variable multiply(Tape& tape, const RowSlice& x, const DropMask* mask, Variable theta,
                  std::span<const Index> nodes) {
    const ConstMatrixView parameters = tape.value(theta);
    const MatrixView out = tape.workspace().matrix(x.matrix->rows, parameters.columns);
    const KeptEntries kept = mask != nullptr ? KeptEntries{mask->bits, x.origin, mask->scale} : KeptEntries{};
    const bool all = mask == nullptr;
    multiply(*x.matrix, all ? nullptr : &kept, parameters, out, Write::replace, tape.control());
    return tape.result(out, {theta}, nodes, [&tape, &x, kept, all, theta](ConstMatrixView gradient) {
        add_transposed_product(*x.matrix, all ? nullptr : &kept, gradient, tape.gradient_sum(theta),
                               tape.control());
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
            add_transposed_product(left, gradient, tape.gradient_sum(b), tape.control());
    });
}

Variable propagate(Tape& tape, const Step& step, Variable h) {
    const ConstMatrixView in = tape.value(h);
    const MatrixView out = tape.workspace().matrix(step.forward.matrix->rows, in.columns);
    multiply(*step.forward.matrix, nullptr, in, out, Write::replace, tape.control());
    return tape.result(out, {h}, *step.outputs, [&tape, &step, h](ConstMatrixView gradient) {
        const auto [target, write] = tape.gradient_target(h);
        multiply(*step.transposed, nullptr, gradient, target, write, tape.control());
    });
}

Variable at_outputs(Tape& tape, const Step& step, Variable h) {
    return copy_rows(tape, h, step.position, *step.outputs);
}

Variable select_rows(Tape& tape, Variable x, std::span<const Index> rows) {
    return copy_rows(tape, x, rows, {});
}

Variable select_columns(Tape& tape, Variable x, Index first, Index count) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, count);
    for (Index i = 0; i < in.rows; ++i)
        std::copy_n(in.row(i) + first, count, out.row(i));
    return tape.result(out, {x}, tape.nodes(x), [&tape, x, first, count](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        for (Index i = 0; i < gradient.rows; ++i)
            add_row(gradient.row(i), target.row(i) + first, static_cast<std::size_t>(count));
    });
}

Variable scale_rows(Tape& tape, Variable x, std::vector<float> factors) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    multiply_rows(factors, in, out, Write::replace);
    return tape.result(out, {x}, tape.nodes(x),
                       [&tape, x, factors = std::move(factors)](ConstMatrixView gradient) {
                           const auto [target, write] = tape.gradient_target(x);
                           multiply_rows(factors, gradient, target, write);
                       });
}

Variable combine(Tape& tape, float a, Variable x, float b, Variable y) {
    const ConstMatrixView first = tape.value(x);
    const ConstMatrixView second = tape.value(y);
    const MatrixView out = tape.workspace().matrix(first.rows, first.columns);
    for (std::size_t k = 0; k < out.size(); ++k)
        out.data[k] = a * first.data[k] + b * second.data[k];
    return tape.result(out, {x, y}, tape.nodes(x), [&tape, a, x, b, y](ConstMatrixView gradient) {
        const auto pass_on = [&](Variable input, float factor) {
            if (!tape.is_differentiable(input)) return;
            const MatrixView target = tape.gradient_sum(input);
            for (std::size_t k = 0; k < target.size(); ++k)
                target.data[k] += factor * gradient.data[k];
        };
        pass_on(x, a);
        pass_on(y, b);
    });
}

Variable multiple(Tape& tape, Variable weights, Index k, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const float weight = tape.value(weights).at(0, k);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    for (std::size_t e = 0; e < out.size(); ++e)
        out.data[e] = weight * in.data[e];
    return tape.result(
        out, {weights, x}, tape.nodes(x), [&tape, weights, k, x, in, weight](ConstMatrixView gradient) {
            if (tape.is_differentiable(weights)) {
                double sum = 0;
                for (std::size_t e = 0; e < in.size(); ++e)
                    sum += static_cast<double>(gradient.data[e]) * static_cast<double>(in.data[e]);
                tape.gradient_sum(weights).at(0, k) += static_cast<float>(sum);
            }
            if (!tape.is_differentiable(x)) return;
            const MatrixView target = tape.gradient_sum(x);
            for (std::size_t e = 0; e < target.size(); ++e)
                target.data[e] += weight * gradient.data[e];
        });
}

Variable add_row(Tape& tape, Variable x, Variable bias) {
    const ConstMatrixView in = tape.value(x);
    const float* offset = tape.value(bias).row(0);
    const MatrixView out = tape.workspace().matrix(in.rows, in.columns);
    for (Index i = 0; i < in.rows; ++i) {
        for (std::size_t k = 0; k < out.stride(); ++k)
            out.row(i)[k] = in.row(i)[k] + offset[k];
    }
    return tape.result(out, {x, bias}, tape.nodes(x), [&tape, x, bias](ConstMatrixView gradient) {
        if (tape.is_differentiable(x)) {
            const MatrixView target = tape.gradient_sum(x);
            add_row(gradient.data, target.data, target.size());
        }
        if (tape.is_differentiable(bias)) {
            float* sum = tape.gradient_sum(bias).row(0);
            for (Index i = 0; i < gradient.rows; ++i)
                add_row(gradient.row(i), sum, gradient.stride());
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
        for (Index i = 0; i < out.rows; ++i)
            std::copy_n(tape.value(part).row(i), count, out.row(i) + first);
    });
    std::vector<Variable> inputs(parts.begin(), parts.end());
    return tape.result(
        out, inputs, tape.nodes(parts.front()), [&tape, inputs, for_each_part](ConstMatrixView gradient) {
            for_each_part(tape, inputs, [&](Variable part, Index first, Index count) {
                if (!tape.is_differentiable(part)) return;
                const auto [target, write] = tape.gradient_target(part);
                for (Index i = 0; i < gradient.rows; ++i)
                    write_row(gradient.row(i) + first, target.row(i), static_cast<std::size_t>(count), write);
            });
        });
}

}  // namespace hwgcn
