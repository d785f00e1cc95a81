#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "tensor/opencl/device.hpp"

// The memory of a device: matrices, with a copy for each run of several, and lists of the host.
namespace hwgcn::gpu {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t line = 256;  // bytes that the copies of runs are aligned to

using Corner = std::array<std::size_t, 3>;  // bytes, rows (runs), planes

}  // namespace

Device::Buffer::Buffer(Device& device, std::size_t bytes) : device_(&device), bytes_(bytes) {
    if (device.used_bytes_ + bytes > device.memory_bytes_) {
        throw OutOfMemory(fmt::format(
            "device {}: out of memory: {:.2f} GB more than the {:.2f} GB in use are wanted, and it has "
            "{:.2f} GB; `device=cpu` trains on the processor",
            device.name_, gigabytes(bytes), gigabytes(device.used_bytes_), gigabytes(device.memory_bytes_)));
    }
    cl_int code = CL_SUCCESS;
    memory_ = opencl()->CreateBuffer(device.context_, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    device.expect(code, fmt::format("reserving {:.2f} GB", gigabytes(bytes)));
    const std::size_t used = device.used_bytes_ += bytes;
    std::size_t most = device.most_used_bytes_;
    while (used > most && !device.most_used_bytes_.compare_exchange_weak(most, used)) {
    }
}

Device::Buffer::~Buffer() {
    if (memory_ == nullptr) return;
    opencl()->ReleaseMemObject(memory_);  // it stays until the kernels that use it are done
    device_->used_bytes_ -= bytes_;
}

// One that was never given out or, when all were, one between two matrices.
std::uintptr_t Device::free_address(std::size_t bytes) {
    const std::size_t size = rounded_up(bytes, page);
    const std::uintptr_t end = addresses_ + addresses_of_each;
    if (next_ + size <= end) return std::exchange(next_, next_ + size);
    std::uintptr_t first = addresses_;
    for (const auto& [address, block] : blocks_) {
        if (address - first >= size) return first;
        first = address + rounded_up(block.buffer.bytes(), page);
    }
    if (end - first >= size) return first;
    throw ExecutionError(fmt::format("device {}: no addresses are left", name_));
}

float* Device::allocate(std::size_t floats) {
    Lane& own = lane();
    const std::scoped_lock lock(access_);
    std::size_t bytes = std::max<std::size_t>(floats, 16) * sizeof(float);
    if (own.runs > 1) bytes = rounded_up(bytes, line);
    const std::uintptr_t address = free_address(bytes * own.runs);
    Block block{Buffer(*this, bytes * own.runs), own.runs > 1 ? bytes : 0, own.runs};
    constexpr float zero = 0.0F;
    expect(opencl()->EnqueueFillBuffer(own.queue, block.buffer.memory(), &zero, sizeof zero, 0,
                                       block.buffer.bytes(), 0, nullptr, nullptr),
           "filling its memory");
    blocks_.emplace(address, std::move(block));
    return reinterpret_cast<float*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void Device::release(float* memory) noexcept {
    const std::scoped_lock lock(access_);
    blocks_.erase(reinterpret_cast<std::uintptr_t>(memory));
}

Device::Place Device::place_of(const void* memory) const {
    const std::scoped_lock lock(access_);
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) throw std::logic_error("an address that no matrix of the device has");
    const auto& [first, block] = *std::prev(after);
    if (address - first >= block.buffer.bytes() / block.runs)
        throw std::logic_error("an address behind a matrix of the device");
    return {block.buffer.memory(), address - first, block.apart, block.runs};
}

std::size_t Device::runs_of(const void* memory) const {
    return place_of(memory).runs;
}

void Device::copy(const float* from, float* to, std::size_t floats) {
    if (floats == 0) return;
    run("copy_numbers", over_numbers(floats), std::span(from, floats), std::span(to, floats),
        std::uint64_t{floats});
}

void Device::write(const void* host, float* memory, std::size_t bytes) {
    const std::vector<const void*> hosts(runs_of(memory), host);
    write_runs(hosts, memory, bytes);
}

void Device::write_runs(std::span<const void* const> hosts, float* memory, std::size_t bytes) {
    if (bytes == 0) return;
    const Place target = place_of(memory);
    if (hosts.size() != target.runs) throw std::logic_error("not as many matrices as runs");
    ++writes_;
    if (hosts.size() == 1) {
        return expect(opencl()->EnqueueWriteBuffer(lane().queue, target.buffer, CL_TRUE, target.offset, bytes,
                                                   hosts.front(), 0, nullptr, nullptr),
                      "writing to its memory");
    }
    std::vector<std::byte> all(hosts.size() * bytes);
    for (std::size_t run = 0; run < hosts.size(); ++run)
        std::memcpy(all.data() + run * bytes, hosts[run], bytes);
    const Corner there{target.offset, 0, 0};
    const Corner here{0, 0, 0};
    const Corner size{bytes, hosts.size(), 1};
    expect(opencl()->EnqueueWriteBufferRect(lane().queue, target.buffer, CL_TRUE, there.data(), here.data(),
                                            size.data(), target.apart, 0, bytes, 0, all.data(), 0, nullptr,
                                            nullptr),
           "writing to its memory");
}

void Device::read(const void* memory, void* host, std::size_t bytes) {
    if (bytes == 0) return;
    const Place source = place_of(memory);
    ++reads_;
    expect(opencl()->EnqueueReadBuffer(lane().queue, source.buffer, CL_TRUE, source.offset, bytes, host, 0,
                                       nullptr, nullptr),
           "reading its memory");
}

void Device::read_runs(const void* memory, std::span<void* const> hosts, std::size_t bytes) {
    if (bytes == 0) return;
    const Place source = place_of(memory);
    if (hosts.size() != source.runs) throw std::logic_error("not as many matrices as runs");
    if (hosts.size() == 1) return read(memory, hosts.front(), bytes);
    ++reads_;
    std::vector<std::byte> all(hosts.size() * bytes);
    const Corner there{source.offset, 0, 0};
    const Corner here{0, 0, 0};
    const Corner size{bytes, hosts.size(), 1};
    expect(opencl()->EnqueueReadBufferRect(lane().queue, source.buffer, CL_TRUE, there.data(), here.data(),
                                           size.data(), source.apart, 0, bytes, 0, all.data(), 0, nullptr,
                                           nullptr),
           "reading its memory");
    for (std::size_t run = 0; run < hosts.size(); ++run)
        std::memcpy(hosts[run], all.data() + run * bytes, bytes);
}

void Device::wait() {
    expect(opencl()->Finish(lane().queue), "waiting");
}

float* Device::scratch(std::size_t floats) {
    Lane& own = lane();
    const bool fits = own.scratch != nullptr && floats <= own.scratch_floats;
    if (!fits || runs_of(own.scratch) != own.runs) {
        release_scratch(own);
        own.scratch = allocate(floats);
        own.scratch_floats = floats;
    }
    return own.scratch;
}

void Device::release_scratch(Lane& lane) noexcept {
    if (lane.scratch != nullptr) release(lane.scratch);
    lane.scratch = nullptr;
    lane.scratch_floats = 0;
}

// The write waits: whoever gets the buffer afterwards may use it on any queue, and the host may forget the
// list.
Device::Buffer Device::copy_of(const void* host, std::size_t bytes, Lane& lane) {
    Buffer buffer(*this, bytes);
    ++writes_;
    expect(opencl()->EnqueueWriteBuffer(lane.queue, buffer.memory(), CL_TRUE, 0, bytes, host, 0, nullptr,
                                        nullptr),
           "writing to its memory");
    return buffer;
}

// A list of the host that is kept, or one for this call alone.
Device::Place Device::place_of_list(Call& call, const void* host, std::size_t bytes) {
    std::unique_lock lock(access_);
    const auto kept = kept_.find(host);
    if (kept != kept_.end() && kept->second.bytes >= bytes) {
        KeptList& list = kept->second;
        const bool has_own = !list.of_runs.empty();
        const std::size_t runs = has_own ? list.of_runs.size() / list.bytes : 1;
        if (list.buffer.memory() == nullptr) {
            list.buffer = has_own ? copy_of(list.of_runs.data(), list.of_runs.size(), call.lane)
                                  : copy_of(host, list.bytes, call.lane);
        }
        return {list.buffer.memory(), 0, has_own ? list.bytes : 0, runs};
    }
    lock.unlock();
    return {call.temporary.emplace_back(copy_of(host, bytes, call.lane)).memory()};
}

// Memory is a buffer, the number of its element to begin with, and how far the next run's is from there.
void Device::add_memory(Call& call, const void* memory, std::size_t bytes, std::size_t element,
                        Access access) {
    Place place;
    if (of(memory) == this) {
        place = place_of(memory);
        if (place.runs != call.lane.runs && (place.runs > 1 || access == Access::write))
            throw std::logic_error("a matrix of one run, or of others, where each run has its own");
    } else if (memory != nullptr && bytes > 0) {
        place = place_of_list(call, memory, bytes);
        if (place.runs != 1 && place.runs != call.lane.runs) throw std::logic_error("lists of other runs");
    }
    add_bytes(call, static_cast<const void*>(&place.buffer), sizeof(cl_mem));
    add(call, static_cast<std::uint64_t>(place.offset / element));
    add(call, static_cast<std::uint64_t>(place.apart / element));
}

}  // namespace hwgcn::gpu
