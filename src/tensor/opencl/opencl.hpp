#pragma once

// The OpenCL library, which is loaded when it is first asked for: nothing is linked with it.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace hwgcn::opencl {

#define HWGCN_OPENCL_FUNCTIONS(use)                                                                     \
    use(GetPlatformIDs) use(GetPlatformInfo) use(GetDeviceIDs) use(GetDeviceInfo) use(CreateContext)    \
        use(CreateCommandQueue) use(CreateProgramWithSource) use(BuildProgram) use(GetProgramBuildInfo) \
            use(CreateKernel) use(SetKernelArg) use(CreateBuffer) use(ReleaseMemObject)                 \
                use(EnqueueNDRangeKernel) use(EnqueueReadBuffer) use(EnqueueWriteBuffer)                \
                    use(EnqueueReadBufferRect) use(EnqueueWriteBufferRect) use(EnqueueFillBuffer)       \
                        use(Finish)

/// Its functions, without the prefix.
struct OpenCl {
#define HWGCN_DECLARE(name) decltype(&cl##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
    HWGCN_OPENCL_FUNCTIONS(HWGCN_DECLARE)
#undef HWGCN_DECLARE
};

/// Null where this machine has no such library, or an incomplete one.
const OpenCl* api();

}  // namespace hwgcn::opencl
