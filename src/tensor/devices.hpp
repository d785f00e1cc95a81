#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hwgcn {

/// A device that OpenCL finds on this machine.
struct DeviceInfo {
    std::string name;
    std::string platform;  ///< whose driver it is
    std::string version;   ///< of OpenCL
    bool is_gpu = false;   ///< else a processor, such as that of pocl
    double memory_bytes = 0;
};

/// All of them, GPUs first: number N is `gpu:N`. Empty where there are none, or no OpenCL library.
const std::vector<DeviceInfo>& devices();

/// Whether devices were built in.
bool has_opencl();

/// Where a network is trained.
struct DeviceChoice {
    enum class Kind {
        cpu,        ///< on the processor, by the program's own kernels
        gpu,        ///< on the first GPU, or on the device with a number
        automatic,  ///< on the first GPU, where there is one
    };
    Kind kind = Kind::cpu;
    int number = -1;  ///< of the device; -1: not given

    bool operator==(const DeviceChoice&) const = default;
};

/// "cpu", "gpu", "gpu:N" or "auto"; nothing for another text.
std::optional<DeviceChoice> parse_device(std::string_view text);
std::string device_text(const DeviceChoice& choice);

/// The number of the device that is meant; nothing for the processor. Throws InputError where this machine
/// does not have it.
std::optional<int> resolve_device(const DeviceChoice& choice);

}  // namespace hwgcn
