#include "tensor/opencl/device_list.hpp"

#include <algorithm>

namespace hwgcn::opencl {
namespace {

bool is_gpu(cl_device_id device) {
    return (device_number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) == 0;
}

std::vector<cl_device_id> find_devices() {
    std::vector<cl_device_id> found;
    const OpenCl* const cl = api();
    cl_uint count = 0;
    if (cl == nullptr || cl->GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return found;
    std::vector<cl_platform_id> platforms(count);
    if (cl->GetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return found;
    for (cl_platform_id platform : platforms) {
        if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
        std::vector<cl_device_id> some(count);
        if (cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, some.data(), nullptr) != CL_SUCCESS)
            continue;
        found.insert(found.end(), some.begin(), some.end());
    }
    std::stable_partition(found.begin(), found.end(), is_gpu);
    return found;
}

std::string platform_name(cl_device_id device) {
    cl_platform_id platform = nullptr;
    std::size_t size = 0;
    const OpenCl& cl = *api();
    if (cl.GetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), static_cast<void*>(&platform),
                         nullptr) != CL_SUCCESS ||
        cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, 0, nullptr, &size) != CL_SUCCESS || size == 0)
        return "";
    std::string text(size, '\0');
    cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, size, text.data(), nullptr);
    text.resize(size - 1);
    return text;
}

std::vector<DeviceInfo> describe_all() {
    std::vector<DeviceInfo> result;
    for (cl_device_id device : device_ids()) {
        result.push_back({device_text(device, CL_DEVICE_NAME), platform_name(device),
                          device_text(device, CL_DEVICE_VERSION), is_gpu(device),
                          static_cast<double>(device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE))});
    }
    return result;
}

}  // namespace

const std::vector<cl_device_id>& device_ids() {
    static const std::vector<cl_device_id> all = find_devices();
    return all;
}

std::string device_text(cl_device_id device, cl_device_info what) {
    std::size_t size = 0;
    const OpenCl& cl = *api();
    if (cl.GetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
    std::string text(size, '\0');
    if (cl.GetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
    text.resize(size - 1);  // it ends with a zero
    return text;
}

const std::vector<DeviceInfo>& describe_devices() {
    static const std::vector<DeviceInfo> all = describe_all();
    return all;
}

}  // namespace hwgcn::opencl
