#include "tensor/device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>

#include <fmt/format.h>
#include <sys/mman.h>

namespace hwgcn::gpu {
namespace {

constexpr int most_devices = 16;
constexpr std::uintptr_t addresses_of_each = std::uintptr_t{1} << 40;

// Addresses that cannot be read or written.
std::uintptr_t reserve_addresses(std::size_t bytes) {
    void* const first = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED)  // NOLINT: a macro of the system
        throw ExecutionError(fmt::format(
            "addresses for the memory of devices: {} (is there a limit, ulimit -v?)", std::strerror(errno)));
    return reinterpret_cast<std::uintptr_t>(first);
}

std::array<Device*, most_devices> opened{};

}  // namespace

std::atomic<std::uintptr_t> Device::first_address = 0;
std::atomic<std::uintptr_t> Device::address_count = 0;

Device& Device::open(int number) {
    static std::mutex access;
    const std::scoped_lock lock(access);
    if (number < 0 || number >= std::min<int>(most_devices, static_cast<int>(devices().size())))
        throw InputError(fmt::format("`device=gpu:{}`: there is no such device", number));
    Device*& device = opened[static_cast<std::size_t>(number)];
    if (device == nullptr) {
        if (first_address == 0) {
            first_address = reserve_addresses(addresses_of_each * most_devices);
            address_count = addresses_of_each * most_devices;
        }
        const std::uintptr_t first = first_address + addresses_of_each * static_cast<std::uintptr_t>(number);
        const std::string& model = devices()[static_cast<std::size_t>(number)].name;
        device =
            opencl_driver()
                ->open(number, fmt::format("gpu:{} ({})", number, model), {first, first + addresses_of_each})
                .release();  // for good: drivers do not like to be asked for anything at the very end
    }
    return *device;
}

Device* Device::by_address(std::uintptr_t place) {
    return opened[place / addresses_of_each];
}

}  // namespace hwgcn::gpu
