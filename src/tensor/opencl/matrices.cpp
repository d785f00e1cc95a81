#include "tensor/opencl/matrices.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "tensor/opencl/grid.hpp"

namespace hwgcn::opencl {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t line = 256;  // bytes that the copies of runs are aligned to

}  // namespace

Buffer::Buffer(const Context& context, std::size_t bytes) : device_(&context.device()), bytes_(bytes) {
    gpu::MemoryUse& use = device_->memory();
    if (use.used() + bytes > use.limit()) {
        throw gpu::OutOfMemory(fmt::format(
            "device {}: out of memory: {:.2f} GB more than the {:.2f} GB in use are wanted, and it has "
            "{:.2f} GB; `device=cpu` trains on the processor",
            device_->name(), gpu::gigabytes(bytes), gpu::gigabytes(use.used()), gpu::gigabytes(use.limit())));
    }
    cl_int code = CL_SUCCESS;
    memory_ = api()->CreateBuffer(context.handle(), CL_MEM_READ_WRITE, bytes, nullptr, &code);
    context.expect(code, fmt::format("reserving {:.2f} GB", gpu::gigabytes(bytes)));
    use.add(bytes);
}

Buffer::~Buffer() {
    if (memory_ == nullptr) return;
    api()->ReleaseMemObject(memory_);  // it stays until the kernels that use it are done
    device_->memory().subtract(bytes_);
}

// One that was never given out or, when all were, one between two matrices.
std::uintptr_t Matrices::free_address(std::size_t bytes) {
    const std::size_t size = rounded_up(bytes, page);
    if (next_ + size <= addresses_.end) return std::exchange(next_, next_ + size);
    std::uintptr_t first = addresses_.first;
    for (const auto& [address, matrix] : matrices_) {
        if (address - first >= size) return first;
        first = address + rounded_up(matrix.buffer.bytes(), page);
    }
    if (addresses_.end - first >= size) return first;
    throw ExecutionError(fmt::format("device {}: no addresses are left", context_.device().name()));
}

float* Matrices::add(std::size_t floats, std::size_t runs, cl_command_queue queue) {
    const std::scoped_lock lock(access_);
    std::size_t bytes = std::max<std::size_t>(floats, 16) * sizeof(float);
    if (runs > 1) bytes = rounded_up(bytes, line);
    const std::uintptr_t address = free_address(bytes * runs);
    Matrix matrix{Buffer(context_, bytes * runs), runs > 1 ? bytes : 0, runs};
    constexpr float zero = 0.0F;
    context_.expect(api()->EnqueueFillBuffer(queue, matrix.buffer.memory(), &zero, sizeof zero, 0,
                                             matrix.buffer.bytes(), 0, nullptr, nullptr),
                    "filling its memory");
    matrices_.emplace(address, std::move(matrix));
    return reinterpret_cast<float*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void Matrices::remove(const float* matrix) noexcept {
    const std::scoped_lock lock(access_);
    matrices_.erase(reinterpret_cast<std::uintptr_t>(matrix));
}

Place Matrices::place_of(const void* address) const {
    const std::scoped_lock lock(access_);
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    const auto after = matrices_.upper_bound(place);
    if (after == matrices_.begin()) throw std::logic_error("an address that no matrix of the device has");
    const auto& [first, matrix] = *std::prev(after);
    if (place - first >= matrix.buffer.bytes() / matrix.runs)
        throw std::logic_error("an address behind a matrix of the device");
    return {matrix.buffer.memory(), place - first, matrix.apart, matrix.runs};
}

}  // namespace hwgcn::opencl
