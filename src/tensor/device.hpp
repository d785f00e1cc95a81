#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/device_use.hpp"
#include "tensor/devices.hpp"

namespace hwgcn {

struct Backend;

namespace gpu {

/// A device with memory of its own. Matrices in it have addresses that no other memory of the process has and
/// that the processor cannot read: an operation sees from the address where it has to run, and touching such
/// a matrix on the host ends the program instead of giving wrong numbers.
///
/// Every thread has a queue of its own, whose operations run in the order in which they are started, along
/// with those of other threads: that is how a device trains several networks at the same time. A matrix
/// belongs to the thread that made it until a read has waited for it.
///
/// While a thread has several runs side by side (SideBySide), memory has a copy for each of them, and
/// operations compute all of them at once. An address stands for the copies of all runs. What the host gives,
/// and what was made before, is the same for all.
class Device {
  public:
    /// Device `number` of `devices()`, opened once and for good. Throws ExecutionError where that fails.
    static Device& open(int number);

    /// The device that an address belongs to; null for memory of the host.
    static Device* of(const void* address) {
        const auto place =
            reinterpret_cast<std::uintptr_t>(address) - first_address.load(std::memory_order_relaxed);
        return place < address_count.load(std::memory_order_relaxed) ? by_address(place) : nullptr;
    }

    /// Its operations.
    const Backend& backend() const { return backend_; }
    const std::string& name() const { return name_; }

    /// Zero at first. Throws OutOfMemory where the device has not so much memory.
    virtual float* allocate(std::size_t floats) = 0;
    virtual void release(float* memory) noexcept = 0;

    /// Gives back what operations of this thread keep between two calls.
    virtual void release_scratch() noexcept = 0;

    /// Keeps a list of the host on the device until `forget`: it must not change meanwhile. Counted: whoever
    /// keeps a list forgets it once.
    virtual void keep(const void* host, std::size_t bytes) = 0;

    /// The same where each run has a list of its own, all as long: `lists.front()` stands for all of them.
    virtual void keep_runs(std::span<const void* const> lists, std::size_t bytes) = 0;
    virtual void forget(const void* host) noexcept = 0;

    /// Of each of the runs that this thread has side by side, the seed of its random numbers; see SideBySide.
    virtual void begin_runs(std::span<const std::uint64_t> seeds) = 0;
    virtual void end_runs() noexcept = 0;

    /// Until all that this thread has started is done.
    virtual void wait() = 0;

    MemoryUse& memory() { return memory_; }
    Traffic& traffic() { return traffic_; }

    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

  protected:
    Device(const Backend& operations, std::string name) : backend_(operations), name_(std::move(name)) {}

  private:
    static Device* by_address(std::uintptr_t place);

    static std::atomic<std::uintptr_t> first_address;
    static std::atomic<std::uintptr_t> address_count;  // 0 until a device is opened

    const Backend& backend_;
    std::string name_;
    MemoryUse memory_;
    Traffic traffic_;
};

/// Addresses that no memory of the process has.
struct AddressRange {
    std::uintptr_t first;
    std::uintptr_t end;
};

/// How the devices of a backend are found and opened.
struct Driver {
    const std::vector<DeviceInfo>& (*devices)();
    /// `name` is how messages call it; its matrices get addresses within the range.
    std::unique_ptr<Device> (*open)(int number, std::string name, AddressRange addresses);
};

/// The driver of OpenCL; null in a build without it, which has no_opencl.cpp in place of the folder opencl.
const Driver* opencl_driver();

/// While it lives, what this thread computes on a device is computed for several runs at once. Each draws its
/// random numbers with a seed of its own: where an operation names a seed, it is that of the first run.
class SideBySide {
  public:
    static constexpr std::size_t most_runs = 65535;  ///< what devices take in the third dimension

    SideBySide(Device& device, std::span<const std::uint64_t> seeds) : device_(&device) {
        device.begin_runs(seeds);
    }
    SideBySide(const SideBySide&) = delete;
    SideBySide& operator=(const SideBySide&) = delete;
    ~SideBySide() { device_->end_runs(); }

  private:
    Device* device_;
};

}  // namespace gpu
}  // namespace hwgcn
