#include "tensor/devices.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "tensor/device.hpp"

namespace hwgcn {

const std::vector<DeviceInfo>& devices() {
    static const std::vector<DeviceInfo> none;
    const gpu::Driver* const driver = gpu::opencl_driver();
    return driver != nullptr ? driver->devices() : none;
}

bool has_opencl() {
    return gpu::opencl_driver() != nullptr;
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
        throw InputError(fmt::format(
            "`device={}`: no device: {}; `device=cpu` trains on the processor", device_text(choice),
            has_opencl()
                ? "OpenCL finds none on this machine (its driver and libOpenCL.so.1 must be installed)"
                : "this program was built without OpenCL"));
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
