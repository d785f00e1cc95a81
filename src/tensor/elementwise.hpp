#pragma once

#include "hwgcn/base/run_control.hpp"

#include "tensor/block_sums.hpp"
#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn {

// What is done number by number, and row by row for the softmax. Matrices of one call have the same shape.
// Rows are shared among threads where that pays.

/// The result is factor * x.
void scale(const Factor& factor, ConstMatrixView x, MatrixView out, Write write,
           const ExecutionControl& control = one_thread);

enum class Activation {
    relu,  ///< max(x, 0)
    elu,   ///< x where positive, exp(x) - 1 elsewhere
    tanh,
    softmax,  ///< exp(x) / sum of exp(x) over the row
};

/// y = f(x). The softmax may work in place.
void activate(Activation activation, ConstMatrixView x, MatrixView out,
              const ExecutionControl& control = one_thread);

/// The gradient of x from y = f(x) and the gradient of y.
void activation_gradient(Activation activation, ConstMatrixView y, ConstMatrixView gradient, MatrixView out,
                         Write write, const ExecutionControl& control = one_thread);

/// y = x Phi(x), Phi being the normal distribution (Hendrycks and Gimpel 2016).
void gelu(ConstMatrixView x, MatrixView out, const ExecutionControl& control);

/// The gradient of x from x itself and the gradient of y = gelu(x).
void gelu_gradient(ConstMatrixView x, ConstMatrixView gradient, MatrixView out, Write write,
                   const ExecutionControl& control);

/// out[column] += <a, b> over all numbers, in double precision; `out` has one row.
void add_dot(ConstMatrixView a, ConstMatrixView b, MatrixView out, Index column, const SummedRows& rows = {});

/// Adam's moving averages and where the step size stands.
struct AdamStep {
    float rate;        ///< learning rate / (1 - beta1^t)
    float root_scale;  ///< 1 / sqrt(1 - beta2^t)
    float beta1, beta2, epsilon;
    float decay;  ///< added to the gradient: decay * value
};

/// One step of Adam (Kingma and Ba 2015).
void adam_step(const AdamStep& step, ConstMatrixView gradient, MatrixView value, MatrixView mean,
               MatrixView square);

}  // namespace hwgcn
