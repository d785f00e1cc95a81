#include "hwgcn/base/version.hpp"

#include <fmt/format.h>
#include <hwy/highway.h>
#include <zip.h>
#include <zlib.h>
#ifdef HWGCN_HAS_METIS
#include <metis.h>
#endif

namespace hwgcn {

std::string_view version() {
    return HWGCN_VERSION;
}

namespace {

std::string metis_version() {
#ifdef HWGCN_HAS_METIS
    return fmt::format("{}.{}.{}, {} bits", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR,
                       IDXTYPEWIDTH);
#else
    return "not built in";
#endif
}

}  // namespace

std::vector<std::pair<std::string, std::string>> library_versions() {
    return {
        {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
        {"highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)},
        {"libzip", zip_libzip_version()},
        {"metis", metis_version()},
        {"zlib", zlibVersion()},
    };
}

}  // namespace hwgcn
