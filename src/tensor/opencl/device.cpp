#include "tensor/opencl/device.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/mman.h>

#include "hwgcn/base/error.hpp"

#include "tensor/opencl/device_list.hpp"
#include "tensor/opencl/kernel_sources.hpp"

namespace hwgcn::gpu {
namespace {

constexpr int most_devices = 16;
constexpr std::size_t group_items = 256;

// Addresses that nobody can read or write.
std::uintptr_t reserve_addresses(std::size_t bytes) {
    void* const first = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
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
            first_address = reserve_addresses(addresses_of_each * most_devices);
            address_count = addresses_of_each * most_devices;
        }
        device =
            new Device(number);  // for good: drivers do not like to be asked for anything at the very end
    }
    return *device;
}

Device* Device::by_address(std::uintptr_t place) {
    return opened[place / addresses_of_each];
}

Device::Device(int number)
    : number_(number),
      name_(fmt::format("gpu:{} ({})", number, devices()[static_cast<std::size_t>(number)].name)),
      addresses_(first_address + addresses_of_each * static_cast<std::uintptr_t>(number)),
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
        throw OutOfMemory(
            fmt::format("device {}: {} failed (OpenCL error {}), most likely for want of memory: {:.1f} of "
                        "{:.1f} GB are in use; `device=cpu` trains on the processor",
                        name_, what, code, gigabytes(used_bytes_), gigabytes(memory_bytes_)));
    }
    throw ExecutionError(fmt::format(
        "device {}: {} failed (OpenCL error {}); `device=cpu` trains on the processor", name_, what, code));
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

// In ranges of rows: devices of NVIDIA may take no more than 65,535 groups in the second dimension.
void Device::finish(Call& call, const Grid& grid) {
    const std::size_t step = 65535 * grid.group[1];
    const std::array<std::size_t, 3> group{grid.group[0], grid.group[1], 1};
    cl_int code = CL_SUCCESS;
    for (std::size_t first = 0; first < grid.items[1] && code == CL_SUCCESS; first += step) {
        const std::array<std::size_t, 3> offset{0, first, 0};
        const std::array<std::size_t, 3> items{grid.items[0], std::min(step, grid.items[1] - first),
                                               call.lane.runs};
        code = opencl()->EnqueueNDRangeKernel(call.lane.queue, call.kernel, 3, offset.data(), items.data(),
                                              group.data(), 0, nullptr, nullptr);
    }
    ++kernels_;
    expect(code, call.name);
}

SideBySide::SideBySide(Device& device, std::span<const std::uint64_t> seeds)
    : device_(&device), lane_(&device.lane()) {
    if (lane_->runs > 1 || seeds.empty() || seeds.size() > most_runs)
        throw std::logic_error("runs side by side: none, too many, or some within others");
    if (seeds.size() == 1) return;  // operations name it
    std::vector<std::uint64_t> own(seeds.begin(), seeds.end());
    device.keep(own.data(), seeds.size_bytes());
    lane_->seeds = std::move(own);
    lane_->runs = seeds.size();
}

SideBySide::~SideBySide() {
    device_->release_scratch(*lane_);  // there is a copy for each run
    if (!lane_->seeds.empty()) device_->forget(lane_->seeds.data());
    lane_->runs = 1;
    lane_->seeds.clear();
}

}  // namespace hwgcn::gpu
