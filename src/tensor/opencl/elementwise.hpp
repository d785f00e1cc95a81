#pragma once

#include "tensor/elementwise.hpp"
#include "tensor/opencl/device.hpp"

// The operations of tensor/elementwise.hpp and tensor/finite.hpp on a device.
namespace hwgcn::gpu {

void scale(Device& device, const Factor& factor, ConstMatrixView x, MatrixView out, Write write);
void activate(Device& device, Activation activation, ConstMatrixView x, MatrixView out);
void activation_gradient(Device& device, Activation activation, ConstMatrixView y, ConstMatrixView gradient,
                         MatrixView out, Write write);
void gelu(Device& device, ConstMatrixView x, MatrixView out);
void gelu_gradient(Device& device, ConstMatrixView x, ConstMatrixView gradient, MatrixView out, Write write);
void add_dot(Device& device, ConstMatrixView a, ConstMatrixView b, MatrixView out, Index column,
             const SummedRows& rows);
void adam_step(Device& device, const AdamStep& step, ConstMatrixView gradient, MatrixView value,
               MatrixView mean, MatrixView square);
void count_infinite(Device& device, std::span<const ConstMatrixView> matrices, MatrixView out);

/// factor <a, b>, as a single number.
void put_dot(Device& device, float factor, ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write);

}  // namespace hwgcn::gpu
