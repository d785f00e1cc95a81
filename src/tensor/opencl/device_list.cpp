#include "tensor/opencl/device_list.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/tensor/devices.hpp"

namespace hwgcn {
namespace gpu {
namespace {

bool is_gpu(cl_device_id device) {
    return (device_number<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) == 0;
}

std::vector<cl_device_id> find_devices() {
    std::vector<cl_device_id> found;
    const OpenCl* const cl = opencl();
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
    const OpenCl& cl = *opencl();
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
    const OpenCl& cl = *opencl();
    if (cl.GetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
    std::string text(size, '\0');
    if (cl.GetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return "";
    text.resize(size - 1);  // it ends with a zero
    return text;
}

}  // namespace gpu

const std::vector<DeviceInfo>& devices() {
    static const std::vector<DeviceInfo> all = gpu::describe_all();
    return all;
}

std::optional<DeviceChoice> parse_device(std::string_view text) {
    if (text == "cpu") return DeviceChoice{};
    if (text == "gpu") return DeviceChoice{DeviceChoice::Kind::gpu};
    if (text == "auto") return DeviceChoice{DeviceChoice::Kind::automatic};
    if (!text.starts_with("gpu:")) return std::nullopt;
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + 4, end, number);
    if (error != std::errc() || rest != end || number < 0) return std::nullopt;
    return DeviceChoice{DeviceChoice::Kind::gpu, number};
}

std::string device_text(const DeviceChoice& choice) {
    switch (choice.kind) {
        case DeviceChoice::Kind::cpu:
            return "cpu";
        case DeviceChoice::Kind::gpu:
            return choice.number >= 0 ? fmt::format("gpu:{}", choice.number) : "gpu";
        case DeviceChoice::Kind::automatic:
            return "auto";
    }
    return "";
}

std::optional<int> resolve_device(const DeviceChoice& choice) {
    if (choice.kind == DeviceChoice::Kind::cpu) return std::nullopt;
    const std::vector<DeviceInfo>& all = devices();
    const bool has_gpu = !all.empty() && all.front().is_gpu;
    if (choice.kind == DeviceChoice::Kind::automatic) return has_gpu ? std::optional(0) : std::nullopt;
    if (all.empty()) {
        throw InputError(
            fmt::format("`device={}`: no device: OpenCL finds none on this machine (its driver and "
                        "libOpenCL.so.1 must be "
                        "installed); `device=cpu` trains on the processor",
                        device_text(choice)));
    }
    if (choice.number < 0 && !has_gpu) {
        throw InputError(
            fmt::format("`device=gpu`: no GPU among the OpenCL devices of this machine; `device=gpu:0` is "
                        "{}, a processor",
                        all.front().name));
    }
    const int number = std::max(choice.number, 0);
    if (number >= static_cast<int>(all.size()))
        throw InputError(fmt::format("`device={}`: this machine has the devices gpu:0 to gpu:{} (hwgcn info)",
                                     device_text(choice), all.size() - 1));
    return number;
}

}  // namespace hwgcn
