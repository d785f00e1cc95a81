#pragma once

#include "tensor/losses.hpp"
#include "tensor/opencl/device.hpp"

// The operations of tensor/losses.hpp on a device.
namespace hwgcn::gpu {

std::int64_t cross_entropy(Device& device, ConstMatrixView scores, std::span<const Index> labels,
                           std::span<const float> weights, MatrixView errors, MatrixView loss,
                           const SummedRows& rows);
void count_correct(Device& device, ConstMatrixView scores, std::span<const Index> labels, MatrixView out);
std::int64_t squared_distance(Device& device, ConstMatrixView x, ConstMatrixView y, MatrixView difference,
                              MatrixView loss, const SummedRows& rows);
void sharpened_mean(Device& device, std::span<const ConstMatrixView> distributions, double temperature,
                    MatrixView out);

}  // namespace hwgcn::gpu
