#pragma once

#include <string>
#include <vector>

#include "tensor/opencl/opencl.hpp"

namespace hwgcn::gpu {

/// The devices of `devices()`, in the same order.
const std::vector<cl_device_id>& device_ids();

/// A text about a device; empty where there is none.
std::string device_text(cl_device_id device, cl_device_info what);

/// A number about a device; 0 where there is none.
template <typename Number>
Number device_number(cl_device_id device, cl_device_info what) {
    Number value = 0;
    return opencl()->GetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                              : Number{0};
}

}  // namespace hwgcn::gpu
