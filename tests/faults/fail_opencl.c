// The OpenCL library of a machine whose device fails: as libOpenCL.so.1 in $LD_LIBRARY_PATH it is found before the real
// one, which $REAL_OPENCL names and which does the work until then.
//   FAIL_KERNEL=N   from kernel N on, none can be started (CL_OUT_OF_RESOURCES: what a lost device says, too)
//   FAIL_BUFFER=N   from buffer N on, there is no memory (CL_MEM_OBJECT_ALLOCATION_FAILURE)

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

// A function that goes on where the real one is.
#define FORWARD(name)                                                             \
    __attribute__((used, visibility("hidden"))) void* real_##name;                \
    __attribute__((naked)) void cl##name(void) {                                  \
        __asm__ volatile("jmp *real_" #name "(%rip)");                            \
    }
#define FORWARDED(use)                                                                                          \
    use(GetPlatformIDs) use(GetPlatformInfo) use(GetDeviceIDs) use(GetDeviceInfo) use(CreateContext)            \
    use(CreateCommandQueue) use(CreateProgramWithSource) use(BuildProgram) use(GetProgramBuildInfo)             \
    use(CreateKernel) use(SetKernelArg) use(ReleaseMemObject) use(EnqueueReadBuffer) use(EnqueueWriteBuffer)    \
    use(EnqueueCopyBuffer) use(EnqueueFillBuffer) use(Finish)
FORWARDED(FORWARD)

typedef int (*StartKernel)(void*, void*, unsigned, const size_t*, const size_t*, const size_t*, unsigned, const void*,
                           void*);
typedef void* (*CreateBuffer)(void*, unsigned long, size_t, void*, int*);
static StartKernel start_kernel;
static CreateBuffer create_buffer;
static long kernels_left = LONG_MAX;
static long buffers_left = LONG_MAX;

static long number_from(const char* name) {
    const char* const text = getenv(name);
    return text == NULL ? LONG_MAX : atol(text);
}

__attribute__((constructor)) static void find_the_real_one(void) {
    void* const real = dlopen(getenv("REAL_OPENCL"), RTLD_NOW | RTLD_LOCAL);
    if (real == NULL) abort();
#define FIND(name) real_##name = dlsym(real, "cl" #name);
    FORWARDED(FIND)
    start_kernel = (StartKernel)dlsym(real, "clEnqueueNDRangeKernel");
    create_buffer = (CreateBuffer)dlsym(real, "clCreateBuffer");
    kernels_left = number_from("FAIL_KERNEL");
    buffers_left = number_from("FAIL_BUFFER");
}

int clEnqueueNDRangeKernel(void* queue, void* kernel, unsigned dimensions, const size_t* offset, const size_t* items,
                           const size_t* group, unsigned count, const void* events, void* event) {
    if (--kernels_left <= 0) return -5;
    return start_kernel(queue, kernel, dimensions, offset, items, group, count, events, event);
}

void* clCreateBuffer(void* context, unsigned long flags, size_t size, void* memory, int* code) {
    if (--buffers_left > 0) return create_buffer(context, flags, size, memory, code);
    *code = -4;
    return NULL;
}
