#include "hwgcn/support/version.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <zip.h>
#include <zlib.h>

namespace hwgcn {

std::string_view version() {
    return HWGCN_VERSION;
}

std::vector<std::pair<std::string, std::string>> library_versions() {
    return {
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
        {"libzip", zip_libzip_version()},
        {"zlib", zlibVersion()},
    };
}

}  // namespace hwgcn
