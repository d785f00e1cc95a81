#pragma once

// libcurl, which is loaded when it is first asked for: nothing is linked with it.

#include <curl/curl.h>

namespace hwgcn {

#define HWGCN_CURL_FUNCTIONS(use)                                                                           \
    use(global_init) use(easy_init) use(easy_setopt) use(easy_perform) use(easy_getinfo) use(easy_strerror) \
        use(easy_reset) use(easy_cleanup) use(version_info)

/// Its functions, without the prefix.
struct LibCurl {
#define HWGCN_DECLARE(name) decltype(&curl_##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
    HWGCN_CURL_FUNCTIONS(HWGCN_DECLARE)
#undef HWGCN_DECLARE
};

/// Null where this machine has no such library, or an incomplete one.
const LibCurl* libcurl();

}  // namespace hwgcn
