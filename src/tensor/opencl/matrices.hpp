#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "tensor/opencl/context.hpp"

namespace hwgcn::opencl {

/// Memory of a device, for as long as it lives and kernels use it.
class Buffer {  // NOLINT(cppcoreguidelines-special-member-functions): one assignment, by value
  public:
    Buffer() = default;
    Buffer(const Context& context, std::size_t bytes);
    Buffer(Buffer&& other) noexcept
        : device_(other.device_), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Buffer& operator=(Buffer other) noexcept {
        std::swap(device_, other.device_);
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Buffer();

    cl_mem memory() const { return memory_; }
    std::size_t bytes() const { return bytes_; }

  private:
    gpu::Device* device_ = nullptr;
    cl_mem memory_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Where numbers begin in the memory of a device, with a copy for each of several runs.
struct Place {
    cl_mem buffer = nullptr;
    std::size_t offset = 0;  ///< in bytes
    std::size_t apart = 0;   ///< bytes from one copy to the next; 0: one for all runs
    std::size_t runs = 1;    ///< that have copies
};

/// The matrices in the memory of a device, by their addresses.
class Matrices {
  public:
    Matrices(const Context& context, gpu::AddressRange addresses)
        : context_(context), addresses_(addresses), next_(addresses.first) {}

    /// Zero at first, with a copy for each of so many runs.
    float* add(std::size_t floats, std::size_t runs, cl_command_queue queue);
    void remove(const float* matrix) noexcept;

    /// Of a part of a matrix, too.
    Place place_of(const void* address) const;

  private:
    struct Matrix {
        Buffer buffer;
        std::size_t apart;
        std::size_t runs;
    };

    std::uintptr_t free_address(std::size_t bytes);

    const Context& context_;
    gpu::AddressRange addresses_;
    std::uintptr_t next_;  // the next one that was never given out
    std::map<std::uintptr_t, Matrix> matrices_;
    mutable std::mutex access_;
};

}  // namespace hwgcn::opencl
