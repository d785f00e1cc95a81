#include "linalg/gpu/device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>

#include "hwgcn/support/error.hpp"

#include "linalg/gpu/device_list.hpp"
#include "linalg/gpu/kernel_sources.hpp"

namespace hwgcn::gpu {
namespace {

constexpr std::uintptr_t device_addresses = std::uintptr_t{1} << 40;  // of each device
constexpr int most_devices = 16;
constexpr std::size_t page = 4096;
constexpr std::size_t group_items = 256;

std::size_t rounded_up(std::size_t count, std::size_t step) {
    return (count + step - 1) / step * step;
}

// Addresses that nobody can read or write.
std::uintptr_t reserve_addresses() {
    void* const first = mmap(nullptr, device_addresses * most_devices, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED)  // NOLINT: a macro of the system
        throw ExecutionError(fmt::format(
            "addresses for the memory of devices: {} (is there a limit, ulimit -v?)", std::strerror(errno)));
    return reinterpret_cast<std::uintptr_t>(first);
}

bool means_out_of_memory(cl_int code) {
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE ||
           code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

std::array<Device*, most_devices> opened{};

}  // namespace

std::atomic<std::uintptr_t> Device::first_address = 0;
std::atomic<std::uintptr_t> Device::address_count = 0;

Grid over_numbers(std::size_t count) {
    return {{rounded_up(std::max<std::size_t>(count, 1), group_items), 1}, {group_items, 1}};
}

// A group has whole rows, or as much of one as it has items for: strides are 8 or multiples of 16.
Grid over_rows(std::size_t rows, std::size_t stride) {
    std::size_t wide = 64;
    while (stride % wide != 0)
        wide /= 2;
    const std::size_t high = group_items / wide;
    return {{stride, rounded_up(std::max<std::size_t>(rows, 1), high)}, {wide, high}};
}

Grid groups_of(std::size_t size, std::size_t count) {
    return {{size, std::max<std::size_t>(count, 1)}, {size, 1}};
}

Device& Device::open(int number) {
    static std::mutex access;
    const std::scoped_lock lock(access);
    if (number < 0 || number >= std::min<int>(most_devices, static_cast<int>(device_ids().size())))
        throw InputError(fmt::format("`device=gpu:{}`: there is no such device", number));
    Device*& device = opened[static_cast<std::size_t>(number)];
    if (device == nullptr) {
        if (first_address == 0) {
            first_address = reserve_addresses();
            address_count = device_addresses * most_devices;
        }
        device =
            new Device(number);  // for good: drivers do not like to be asked for anything at the very end
    }
    return *device;
}

Device* Device::by_address(std::uintptr_t place) {
    return opened[place / device_addresses];
}

Device::Device(int number)
    : number_(number),
      name_(fmt::format("gpu:{} ({})", number, devices()[static_cast<std::size_t>(number)].name)),
      addresses_(first_address + device_addresses * static_cast<std::uintptr_t>(number)),
      next_(addresses_) {
    const OpenCl& cl = *opencl();
    cl_device_id device = device_ids()[static_cast<std::size_t>(number)];
    has_double_ = device_number<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    memory_bytes_ = device_number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    if (device_number<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE) < group_items) {
        throw ExecutionError(
            fmt::format("device {}: takes groups of less than {} work items, which the kernels "
                        "have; `device=cpu` trains on the processor",
                        name_, group_items));
    }
    cl_int code = CL_SUCCESS;
    context_ = cl.CreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    expect(code, "opening it");
    build();
}

// Drivers keep what they have compiled: the second start is fast.
void Device::build() {
    namespace source = kernel_source;
    const OpenCl& cl = *opencl();
    cl_device_id device = device_ids()[static_cast<std::size_t>(number_)];
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string_view text :
         {source::common, source::products, source::rows, source::elementwise, source::losses,
          source::dropout, source::normalization, source::layer_normalization, source::attention}) {
        texts.push_back(text.data());
        lengths.push_back(text.size());
    }
    cl_int code = CL_SUCCESS;
    program_ = cl.CreateProgramWithSource(context_, static_cast<cl_uint>(texts.size()), texts.data(),
                                          lengths.data(), &code);
    expect(code, "reading its kernels");
    if (cl.BuildProgram(program_, 1, &device, has_double_ ? "-DHAS_DOUBLE" : "", nullptr, nullptr) ==
        CL_SUCCESS)
        return;
    std::size_t size = 0;
    cl.GetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    cl.GetProgramBuildInfo(program_, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(std::min(log.find('\0'), std::min<std::size_t>(size, 2000)));
    throw ExecutionError(fmt::format("device {}: its kernels cannot be compiled: {}", name_, log));
}

void Device::expect(cl_int code, const std::string& what) const {
    if (code == CL_SUCCESS) return;
    if (means_out_of_memory(code)) {
        throw ExecutionError(
            fmt::format("device {}: {} failed (OpenCL error {}), most likely for want of memory: {:.1f} of "
                        "{:.1f} GB are in "
                        "use; `device=cpu` trains on the processor",
                        name_, what, code, static_cast<double>(used_bytes_) / 1e9,
                        static_cast<double>(memory_bytes_) / 1e9));
    }
    throw ExecutionError(fmt::format(
        "device {}: {} failed (OpenCL error {}); `device=cpu` trains on the processor", name_, what, code));
}

Device::Buffer::Buffer(Device& device, std::size_t bytes) : device_(&device), bytes_(bytes) {
    if (device.used_bytes_ + bytes > device.memory_bytes_) {
        throw ExecutionError(fmt::format(
            "device {}: out of memory: {:.2f} GB more than the {:.2f} GB in use are wanted, and it has "
            "{:.2f} "
            "GB; `device=cpu` trains on the processor",
            device.name_, static_cast<double>(bytes) / 1e9, static_cast<double>(device.used_bytes_) / 1e9,
            static_cast<double>(device.memory_bytes_) / 1e9));
    }
    cl_int code = CL_SUCCESS;
    memory_ = opencl()->CreateBuffer(device.context_, CL_MEM_READ_WRITE, bytes, nullptr, &code);
    device.expect(code, fmt::format("reserving {:.2f} GB", static_cast<double>(bytes) / 1e9));
    device.used_bytes_ += bytes;
}

Device::Buffer::~Buffer() {
    if (memory_ == nullptr) return;
    opencl()->ReleaseMemObject(memory_);  // it stays until the kernels that use it are done
    device_->used_bytes_ -= bytes_;
}

// One that was never given out or, when all were, one between two matrices.
std::uintptr_t Device::free_address(std::size_t bytes) {
    const std::size_t size = rounded_up(bytes, page);
    const std::uintptr_t end = addresses_ + device_addresses;
    if (next_ + size <= end) return std::exchange(next_, next_ + size);
    std::uintptr_t first = addresses_;
    for (const auto& [address, buffer] : blocks_) {
        if (address - first >= size) return first;
        first = address + rounded_up(buffer.bytes(), page);
    }
    if (end - first >= size) return first;
    throw ExecutionError(fmt::format("device {}: no addresses are left", name_));
}

float* Device::allocate(std::size_t floats) {
    const std::scoped_lock lock(access_);
    const std::size_t bytes = std::max<std::size_t>(floats, 16) * sizeof(float);
    const std::uintptr_t address = free_address(bytes);
    blocks_.emplace(address, Buffer(*this, bytes));
    auto* const memory = reinterpret_cast<float*>(address);  // NOLINT(performance-no-int-to-ptr)
    try {
        fill(memory, floats, 0.0F);
    } catch (...) {
        release(memory);
        throw;
    }
    return memory;
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
    const auto& [first, buffer] = *std::prev(after);
    if (address - first >= buffer.bytes()) throw std::logic_error("an address behind a matrix of the device");
    return {buffer.memory(), address - first};
}

void Device::copy(const float* from, float* to, std::size_t floats) {
    if (floats == 0) return;
    const Place source = place_of(from);
    const Place target = place_of(to);
    expect(opencl()->EnqueueCopyBuffer(lane().queue, source.buffer, target.buffer, source.offset,
                                       target.offset, floats * sizeof(float), 0, nullptr, nullptr),
           "copying");
}

void Device::write(const void* host, float* memory, std::size_t bytes) {
    if (bytes == 0) return;
    const Place target = place_of(memory);
    expect(opencl()->EnqueueWriteBuffer(lane().queue, target.buffer, CL_TRUE, target.offset, bytes, host, 0,
                                        nullptr, nullptr),
           "writing to its memory");
}

void Device::read(const void* memory, void* host, std::size_t bytes) {
    if (bytes == 0) return;
    const Place source = place_of(memory);
    expect(opencl()->EnqueueReadBuffer(lane().queue, source.buffer, CL_TRUE, source.offset, bytes, host, 0,
                                       nullptr, nullptr),
           "reading its memory");
}

void Device::fill(float* memory, std::size_t floats, float value) {
    if (floats == 0) return;
    const Place target = place_of(memory);
    expect(opencl()->EnqueueFillBuffer(lane().queue, target.buffer, &value, sizeof value, target.offset,
                                       floats * sizeof(float), 0, nullptr, nullptr),
           "filling its memory");
}

void Device::wait() {
    expect(opencl()->Finish(lane().queue), "waiting");
}

float* Device::scratch(std::size_t floats) {
    Lane& own = lane();
    if (floats > own.scratch_floats) {
        if (own.scratch != nullptr) release(own.scratch);
        own.scratch = nullptr;
        own.scratch_floats = 0;
        own.scratch = allocate(floats);
        own.scratch_floats = floats;
    }
    return own.scratch;
}

// The lanes of a thread, one per device that it used; they go to other threads when it ends.
class Device::Lease {
  public:
    Lease() = default;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        for (const auto& [device, lane] : lanes_)
            if (lane != nullptr) device->give_back(lane);
    }
    Lane& of(Device& device) {
        Lane*& lane = lanes_[&device];
        if (lane == nullptr) lane = device.take_lane();
        return *lane;
    }

  private:
    std::map<Device*, Lane*> lanes_;
};

Device::Lane& Device::lane() {
    thread_local Lease lease;
    return lease.of(*this);
}

Device::Lane* Device::take_lane() {
    const std::scoped_lock lock(access_);
    if (!free_lanes_.empty()) {
        Lane* const lane = free_lanes_.back();
        free_lanes_.pop_back();
        return lane;
    }
    auto lane = std::make_unique<Lane>();
    cl_int code = CL_SUCCESS;
    lane->queue =
        opencl()->CreateCommandQueue(context_, device_ids()[static_cast<std::size_t>(number_)], 0, &code);
    expect(code, "opening a queue");
    free_lanes_.reserve(lanes_.size() + 1);  // so that giving back cannot fail
    lanes_.push_back(std::move(lane));
    return lanes_.back().get();
}

void Device::give_back(Lane* lane) noexcept {
    const std::scoped_lock lock(access_);
    free_lanes_.push_back(lane);
}

Device::Call Device::begin(const std::string& kernel) {
    Lane& own = lane();
    const auto [place, is_new] = own.kernels.try_emplace(kernel, nullptr);
    if (place->second == nullptr) {
        cl_int code = CL_SUCCESS;
        place->second = opencl()->CreateKernel(program_, kernel.c_str(), &code);
        expect(code, "the kernel " + kernel);
    }
    return {kernel, own, place->second};
}

void Device::add_bytes(Call& call, const void* value, std::size_t size) const {
    expect(opencl()->SetKernelArg(call.kernel, call.arguments++, size, value), "an argument of " + call.name);
}

// The write waits: whoever gets the buffer afterwards may use it on any queue, and the host may forget the
// list.
Device::Buffer Device::copy_of(const void* host, std::size_t bytes, Lane& lane) {
    Buffer buffer(*this, bytes);
    expect(opencl()->EnqueueWriteBuffer(lane.queue, buffer.memory(), CL_TRUE, 0, bytes, host, 0, nullptr,
                                        nullptr),
           "writing to its memory");
    return buffer;
}

// Memory is a buffer and the number of its element to begin with.
void Device::add_memory(Call& call, const void* memory, std::size_t bytes, std::size_t element) {
    Place place{nullptr, 0};
    std::unique_lock lock(access_);
    const auto kept = kept_.find(memory);
    if (of(memory) == this) {
        place = place_of(memory);
    } else if (kept != kept_.end() && kept->second.bytes >= bytes && bytes > 0) {
        KeptList& list = kept->second;
        if (list.buffer.memory() == nullptr) list.buffer = copy_of(memory, list.bytes, call.lane);
        place.buffer = list.buffer.memory();
    } else if (memory != nullptr && bytes > 0) {
        lock.unlock();
        place.buffer = call.temporary.emplace_back(copy_of(memory, bytes, call.lane)).memory();
    }
    add_bytes(call, static_cast<const void*>(&place.buffer), sizeof(cl_mem));
    add(call, static_cast<std::uint64_t>(place.offset / element));
}

// In ranges of rows: devices of NVIDIA may take no more than 65,535 groups in the second dimension.
void Device::finish(Call& call, const Grid& grid) {
    const std::size_t step = 65535 * grid.group[1];
    cl_int code = CL_SUCCESS;
    for (std::size_t first = 0; first < grid.items[1] && code == CL_SUCCESS; first += step) {
        const std::array<std::size_t, 2> offset{0, first};
        const std::array<std::size_t, 2> items{grid.items[0], std::min(step, grid.items[1] - first)};
        code = opencl()->EnqueueNDRangeKernel(call.lane.queue, call.kernel, 2, offset.data(), items.data(),
                                              grid.group.data(), 0, nullptr, nullptr);
    }
    expect(code, call.name);
}

}  // namespace hwgcn::gpu
