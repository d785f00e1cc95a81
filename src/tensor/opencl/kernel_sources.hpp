#pragma once

#include <string_view>

// Made by the build from the files of tensor/opencl/kernels.
namespace hwgcn::kernel_source {
extern const std::string_view common, products, rows, elementwise, losses, dropout, normalization,
    layer_normalization, attention;
}  // namespace hwgcn::kernel_source
