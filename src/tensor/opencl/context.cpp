#include "tensor/opencl/context.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tensor/opencl/device_list.hpp"
#include "tensor/opencl/grid.hpp"
#include "tensor/opencl/kernel_sources.hpp"

namespace hwgcn::opencl {
namespace {

bool means_out_of_memory(cl_int code) {
    return code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_INVALID_BUFFER_SIZE ||
           code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY;
}

}  // namespace

Context::Context(gpu::Device& device, int number)
    : device_(&device),
      id_(device_ids()[static_cast<std::size_t>(number)]),
      has_double_(device_number<cl_device_fp_config>(id_, CL_DEVICE_DOUBLE_FP_CONFIG) != 0) {
    device.memory().set_limit(device_number<cl_ulong>(id_, CL_DEVICE_GLOBAL_MEM_SIZE));
    if (device_number<std::size_t>(id_, CL_DEVICE_MAX_WORK_GROUP_SIZE) < group_items) {
        throw ExecutionError(
            fmt::format("device {}: takes groups of less than {} work items, which the kernels "
                        "have; `device=cpu` trains on the processor",
                        device.name(), group_items));
    }
    cl_int code = CL_SUCCESS;
    context_ = api()->CreateContext(nullptr, 1, &id_, nullptr, nullptr, &code);
    expect(code, "opening it");
    build();
}

// Drivers keep what they have compiled: the second start is fast.
void Context::build() {
    namespace source = kernel_source;
    const OpenCl& cl = *api();
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
    if (cl.BuildProgram(program_, 1, &id_, has_double_ ? "-DHAS_DOUBLE" : "", nullptr, nullptr) == CL_SUCCESS)
        return;
    std::size_t size = 0;
    cl.GetProgramBuildInfo(program_, id_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    cl.GetProgramBuildInfo(program_, id_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    log.resize(std::min(log.find('\0'), std::min<std::size_t>(size, 2000)));
    throw ExecutionError(fmt::format("device {}: its kernels cannot be compiled: {}", device_->name(), log));
}

cl_command_queue Context::new_queue() const {
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = api()->CreateCommandQueue(context_, id_, 0, &code);
    expect(code, "opening a queue");
    return queue;
}

cl_kernel Context::new_kernel(const std::string& name) const {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = api()->CreateKernel(program_, name.c_str(), &code);
    expect(code, "the kernel " + name);
    return kernel;
}

void Context::expect(cl_int code, const std::string& what) const {
    if (code == CL_SUCCESS) return;
    if (means_out_of_memory(code)) {
        const gpu::MemoryUse& memory = device_->memory();
        throw gpu::OutOfMemory(fmt::format(
            "device {}: {} failed (OpenCL error {}), most likely for want of memory: {:.1f} of "
            "{:.1f} GB are in use; `device=cpu` trains on the processor",
            device_->name(), what, code, gpu::gigabytes(memory.used()), gpu::gigabytes(memory.limit())));
    }
    throw ExecutionError(
        fmt::format("device {}: {} failed (OpenCL error {}); `device=cpu` trains on the processor",
                    device_->name(), what, code));
}

}  // namespace hwgcn::opencl
