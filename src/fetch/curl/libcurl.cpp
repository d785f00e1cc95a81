#include "fetch/curl/libcurl.hpp"

#include <optional>

#include <dlfcn.h>

#include "fetch/fetch.hpp"

namespace hwgcn {
namespace {

std::optional<LibCurl> load() {
    void* const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::nullopt;
    LibCurl functions;
    bool complete = true;
#define HWGCN_LOAD(name)                                                                        \
    functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(library, "curl_" #name)); \
    complete = complete && functions.name != nullptr;
    HWGCN_CURL_FUNCTIONS(HWGCN_LOAD)
#undef HWGCN_LOAD
    if (!complete) return std::nullopt;
    return functions;
}

}  // namespace

const LibCurl* libcurl() {
    static const std::optional<LibCurl> loaded = load();
    return loaded ? &*loaded : nullptr;
}

std::string libcurl_version() {
    const LibCurl* const curl = libcurl();
    return curl == nullptr ? "not installed" : curl->version_info(CURLVERSION_NOW)->version;
}

}  // namespace hwgcn
