// The OpenCL library of a machine whose device fails: as libOpenCL.so.1 in $LD_LIBRARY_PATH it is found before the real
// one, which $REAL_OPENCL names and which does the work until then.
//   FAIL_KERNEL=N   from kernel N on, none can be started (CL_OUT_OF_RESOURCES: what a lost device says, too)
//   FAIL_BUFFER=N   from buffer N on, there is no memory (CL_MEM_OBJECT_ALLOCATION_FAILURE)
//   FAIL_LARGE=N    there is no memory for buffers of more than N bytes
//   FAIL_WRITE=N, FAIL_FILL=N, FAIL_QUEUE=N   the same for writes to its memory, for filling it, for queues

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
    use(CreateProgramWithSource) use(BuildProgram) use(GetProgramBuildInfo)             \
    use(CreateKernel) use(SetKernelArg) use(ReleaseMemObject) use(EnqueueReadBuffer) \
    use(EnqueueReadBufferRect) use(EnqueueWriteBufferRect) use(Finish)
FORWARDED(FORWARD)

// What may fail: its real function, and how many times it still works.
#define MAY_FAIL(use) use(EnqueueNDRangeKernel) use(CreateBuffer) use(EnqueueWriteBuffer) use(EnqueueFillBuffer) \
    use(CreateCommandQueue)
#define DECLARE(name) static void* may_fail_##name; static long left_##name = LONG_MAX;
MAY_FAIL(DECLARE)

static long largest_buffer = LONG_MAX;

static long number_from(const char* name) {
    const char* const text = getenv(name);
    return text == NULL ? LONG_MAX : atol(text);
}

__attribute__((constructor)) static void find_the_real_one(void) {
    void* const real = dlopen(getenv("REAL_OPENCL"), RTLD_NOW | RTLD_LOCAL);
    if (real == NULL) abort();
#define FIND(name) real_##name = dlsym(real, "cl" #name);
    FORWARDED(FIND)
#define FIND_MAY_FAIL(name) may_fail_##name = dlsym(real, "cl" #name);
    MAY_FAIL(FIND_MAY_FAIL)
    left_EnqueueNDRangeKernel = number_from("FAIL_KERNEL");
    left_CreateBuffer = number_from("FAIL_BUFFER");
    largest_buffer = number_from("FAIL_LARGE");
    left_EnqueueWriteBuffer = number_from("FAIL_WRITE");
    left_EnqueueFillBuffer = number_from("FAIL_FILL");
    left_CreateCommandQueue = number_from("FAIL_QUEUE");
}

int clEnqueueNDRangeKernel(void* queue, void* kernel, unsigned dimensions, const size_t* offset, const size_t* items,
                           const size_t* group, unsigned count, const void* events, void* event) {
    typedef int (*Real)(void*, void*, unsigned, const size_t*, const size_t*, const size_t*, unsigned, const void*, void*);
    if (--left_EnqueueNDRangeKernel <= 0) return -5;
    return ((Real)may_fail_EnqueueNDRangeKernel)(queue, kernel, dimensions, offset, items, group, count, events, event);
}

int clEnqueueWriteBuffer(void* queue, void* buffer, unsigned blocking, size_t offset, size_t size, const void* from,
                         unsigned count, const void* events, void* event) {
    typedef int (*Real)(void*, void*, unsigned, size_t, size_t, const void*, unsigned, const void*, void*);
    if (--left_EnqueueWriteBuffer <= 0) return -4;
    return ((Real)may_fail_EnqueueWriteBuffer)(queue, buffer, blocking, offset, size, from, count, events, event);
}

int clEnqueueFillBuffer(void* queue, void* buffer, const void* pattern, size_t pattern_size, size_t offset, size_t size,
                        unsigned count, const void* events, void* event) {
    typedef int (*Real)(void*, void*, const void*, size_t, size_t, size_t, unsigned, const void*, void*);
    if (--left_EnqueueFillBuffer <= 0) return -4;
    return ((Real)may_fail_EnqueueFillBuffer)(queue, buffer, pattern, pattern_size, offset, size, count, events, event);
}

void* clCreateBuffer(void* context, unsigned long flags, size_t size, void* memory, int* code) {
    typedef void* (*Real)(void*, unsigned long, size_t, void*, int*);
    if ((long)size <= largest_buffer && --left_CreateBuffer > 0) return ((Real)may_fail_CreateBuffer)(context, flags, size, memory, code);
    *code = -4;
    return NULL;
}

void* clCreateCommandQueue(void* context, void* device, unsigned long properties, int* code) {
    typedef void* (*Real)(void*, void*, unsigned long, int*);
    if (--left_CreateCommandQueue > 0) return ((Real)may_fail_CreateCommandQueue)(context, device, properties, code);
    *code = -6;
    return NULL;
}
