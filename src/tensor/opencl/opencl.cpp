#include "tensor/opencl/opencl.hpp"

#include <atomic>
#include <optional>

#include <dlfcn.h>

namespace hwgcn::opencl {
namespace {

std::atomic<bool> is_loaded = false;

std::optional<OpenCl> load() {
    void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::nullopt;
    OpenCl functions;
    bool complete = true;
#define HWGCN_LOAD(name)                                                                     \
    functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, "cl" #name)); \
    complete = complete && functions.name != nullptr;
    HWGCN_OPENCL_FUNCTIONS(HWGCN_LOAD)
#undef HWGCN_LOAD
    if (!complete) return std::nullopt;
    is_loaded = true;
    return functions;
}

}  // namespace

const OpenCl* api() {
    static const std::optional<OpenCl> loaded = load();
    return loaded ? &*loaded : nullptr;
}

#ifdef __SANITIZE_ADDRESS__
// Threads of drivers end while the leak detector looks at them, which then crashes now and then. It asks here
// whether it is wanted.
extern "C" int __lsan_is_turned_off();   // NOLINT(bugprone-reserved-identifier)
extern "C" int __lsan_is_turned_off() {  // NOLINT(bugprone-reserved-identifier)
    return is_loaded ? 1 : 0;
}
#endif

}  // namespace hwgcn::opencl
