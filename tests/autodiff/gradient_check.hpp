#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "autodiff/tape.hpp"
#include "base/random_stream.hpp"

namespace hwgcn::testing {

/// Uniform in (-1, 1).
inline DenseMatrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
    DenseMatrix matrix(rows, columns);
    RandomStream random(seed, 7);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>(2.0 * random.uniform() - 1.0);
    }
    return matrix;
}

/// The same without numbers between -0.1 and 0.1: for functions with a kink at 0.
inline DenseMatrix random_matrix_without_zeros(Index rows, Index columns, std::uint64_t seed) {
    DenseMatrix matrix = random_matrix(rows, columns, seed);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = 0.9F * matrix.at(i, j) + std::copysign(0.1F, matrix.at(i, j));
    }
    return matrix;
}

/// Some operations of a tape, from matrices to be learned to one matrix.
using Computation = std::function<Variable(Tape&, std::span<const Variable>)>;

/// <factors, x>: a single number on the tape.
inline Variable inner_product(Tape& tape, const DenseMatrix& factors, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView out = tape.workspace().matrix(1, 1);
    double sum = 0;
    for (std::size_t k = 0; k < in.size(); ++k)
        sum += static_cast<double>(in.data[k]) * static_cast<double>(factors.numbers()[k]);
    out.at(0, 0) = static_cast<float>(sum);
    return tape.result(out, {x}, {}, [&tape, &factors, x](ConstMatrixView gradient) {
        const MatrixView target = tape.gradient_sum(x);
        for (std::size_t k = 0; k < target.size(); ++k)
            target.data[k] += gradient.at(0, 0) * factors.numbers()[k];
    });
}

inline Variable sum(Tape& tape, Variable a, Variable b) {
    const MatrixView out = tape.workspace().matrix(1, 1);
    out.at(0, 0) = tape.value(a).at(0, 0) + tape.value(b).at(0, 0);
    return tape.result(out, {a, b}, {}, [&tape, a, b](ConstMatrixView gradient) {
        tape.gradient_sum(a).at(0, 0) += gradient.at(0, 0);
        tape.gradient_sum(b).at(0, 0) += gradient.at(0, 0);
    });
}

inline void expect_zero_padding(ConstMatrixView matrix, const char* what) {
    for (Index i = 0; i < matrix.rows; ++i) {
        for (std::size_t k = static_cast<std::size_t>(matrix.columns); k < matrix.stride(); ++k)
            ASSERT_EQ(matrix.row(i)[k], 0.0F) << what << ", row " << i;
    }
}

/// The result of a computation without anything recorded; lives in the workspace.
inline ConstMatrixView evaluate_in(Workspace& workspace, const Computation& compute,
                                   std::span<const DenseMatrix> inputs) {
    workspace.reset();
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, false);
    std::vector<Variable> variables;
    for (const DenseMatrix& input : inputs)
        variables.push_back(tape.constant(input));
    return tape.value(compute(tape, variables));
}

inline DenseMatrix evaluate(const Computation& compute, std::span<const DenseMatrix> inputs) {
    Workspace workspace;
    const ConstMatrixView value = evaluate_in(workspace, compute, inputs);
    DenseMatrix result(value.rows, value.columns);
    std::copy_n(value.data, value.size(), result.numbers().data());
    return result;
}

/// The gradients of <R + R', f(inputs)>, with f computed twice, once for R and once for R': gradients
/// are written as well as added.
inline std::vector<DenseMatrix> tape_gradients(const Computation& compute,
                                               std::span<const DenseMatrix> inputs, const DenseMatrix& r,
                                               const DenseMatrix& other_r) {
    Workspace workspace;
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, true);
    std::vector<DenseMatrix> gradients(inputs.begin(), inputs.end());  // shapes; padding is zero
    std::vector<Variable> variables;
    for (std::size_t k = 0; k < inputs.size(); ++k)
        variables.push_back(tape.parameter(inputs[k], gradients[k]));
    const Variable first = compute(tape, variables);
    const Variable second = compute(tape, variables);
    expect_zero_padding(tape.value(first), "result");
    tape.backward(sum(tape, inner_product(tape, r, first), inner_product(tape, other_r, second)));
    return gradients;
}

/// Central differences with a step of 0.01 against the tape's gradients, for each number of each input. The
/// differences of functions of size 1 are good to about 1e-4: the step's square times the third derivative,
/// and the rounding of single precision over the step.
inline void expect_right_gradients(std::vector<DenseMatrix> inputs, const Computation& compute,
                                   double tolerance = 1e-3) {
    const DenseMatrix value = evaluate(compute, inputs);
    const DenseMatrix r = random_matrix(value.rows(), value.columns(), 101);
    const DenseMatrix other_r = random_matrix(value.rows(), value.columns(), 102);
    const std::vector<DenseMatrix> gradients = tape_gradients(compute, inputs, r, other_r);
    Workspace workspace;
    const auto functional = [&] {
        const ConstMatrixView result = evaluate_in(workspace, compute, inputs);
        double total = 0;
        for (std::size_t k = 0; k < result.size(); ++k) {
            const double factor =
                static_cast<double>(r.numbers()[k]) + static_cast<double>(other_r.numbers()[k]);
            total += factor * static_cast<double>(result.data[k]);
        }
        return total;
    };
    for (std::size_t n = 0; n < inputs.size(); ++n) {
        expect_zero_padding(gradients[n], "gradient");
        for (Index i = 0; i < inputs[n].rows(); ++i) {
            for (Index j = 0; j < inputs[n].columns(); ++j) {
                const float here = inputs[n].at(i, j);
                const float above = here + 0.01F;
                const float below = here - 0.01F;
                inputs[n].at(i, j) = above;
                const double high = functional();
                inputs[n].at(i, j) = below;
                const double low = functional();
                inputs[n].at(i, j) = here;
                const double slope = (high - low) / (static_cast<double>(above) - static_cast<double>(below));
                ASSERT_NEAR(gradients[n].at(i, j), slope, tolerance * std::max(1.0, std::abs(slope)))
                    << "input " << n << ", row " << i << ", column " << j;
            }
        }
    }
}

}  // namespace hwgcn::testing
