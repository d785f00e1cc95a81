#pragma once

#include <string>

#include "tensor/device.hpp"
#include "tensor/opencl/opencl.hpp"

namespace hwgcn::opencl {

/// A device as its driver opens it, with the kernels that it compiles. Never closed.
class Context {
  public:
    /// Of device `number`; `device` has its name and counts what it uses.
    Context(gpu::Device& device, int number);

    gpu::Device& device() const { return *device_; }
    cl_context handle() const { return context_; }

    /// Whether sums are in double precision.
    bool has_double() const { return has_double_; }

    cl_command_queue new_queue() const;
    cl_kernel new_kernel(const std::string& name) const;

    /// Throws OutOfMemory or ExecutionError where a call of OpenCL failed.
    void expect(cl_int code, const std::string& what) const;

  private:
    void build();

    gpu::Device* device_;
    cl_device_id id_;
    bool has_double_;
    cl_context context_ = nullptr;
    cl_program program_ = nullptr;
};

}  // namespace hwgcn::opencl
