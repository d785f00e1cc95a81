#include "hwgcn/base/version.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "base/library_versions.hpp"

namespace hwgcn {

std::string_view version() {
    return HWGCN_VERSION;
}

std::string version_of_fmt() {
    return fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

std::string version_of_zlib() {
    return zlibVersion();
}

}  // namespace hwgcn
