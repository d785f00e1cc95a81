#include "hwgcn/support/version.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <hwy/highway.h>
#include <openssl/crypto.h>
#include <zip.h>
#include <zlib.h>

namespace hwgcn {

std::string_view version() {
    return HWGCN_VERSION;
}

std::vector<std::pair<std::string, std::string>> library_versions() {
    return {
        {"curl", curl_version_info(CURLVERSION_NOW)->version},
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
        {"libzip", zip_libzip_version()},
        {"openssl", OpenSSL_version(OPENSSL_VERSION_STRING)},
        {"zlib", zlibVersion()},
    };
}

}  // namespace hwgcn
