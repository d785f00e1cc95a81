#pragma once

#include <string>
#include <vector>

#include "tensor/devices.hpp"
#include "tensor/opencl/opencl.hpp"

namespace hwgcn::opencl {

/// The devices that OpenCL finds, GPUs first.
const std::vector<cl_device_id>& device_ids();

/// What is known of them, in the same order.
const std::vector<DeviceInfo>& describe_devices();

/// A text about a device; empty where there is none.
std::string device_text(cl_device_id device, cl_device_info what);

/// A number about a device; 0 where there is none.
template <typename Number>
Number device_number(cl_device_id device, cl_device_info what) {
    Number value = 0;
    return api()->GetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value
                                                                                           : Number{0};
}

}  // namespace hwgcn::opencl
