#pragma once

#include "tensor/opencl/device.hpp"

// The operations of tensor/products.hpp on a device.
namespace hwgcn::gpu {

void multiply(Device& device, const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b,
              MatrixView out, Write write);
void add_transposed_product(Device& device, const CsrMatrix<float>& m, const KeptEntries* kept,
                            ConstMatrixView g, MatrixView out);
void multiply(Device& device, ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write);
void add_transposed_product(Device& device, ConstMatrixView a, ConstMatrixView g, MatrixView out);

}  // namespace hwgcn::gpu
