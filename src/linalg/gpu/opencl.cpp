#include "linalg/gpu/opencl.hpp"

#include <optional>

#include <dlfcn.h>

namespace hwgcn::gpu {
namespace {

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
    return functions;
}

}  // namespace

const OpenCl* opencl() {
    static const std::optional<OpenCl> loaded = load();
    return loaded ? &*loaded : nullptr;
}

}  // namespace hwgcn::gpu
