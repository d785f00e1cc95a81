#include "environment.hpp"

#include <cstdlib>

#include <unistd.h>

namespace hwgcn::cli {
namespace {

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

// By the XDG rules a relative path in the variable does not count.
std::filesystem::path user_directory(const char* xdg_variable, const char* below_home) {
    const std::filesystem::path xdg = variable(xdg_variable);
    if (xdg.is_absolute()) return xdg / "hwgcn";
    const std::filesystem::path home = variable("HOME");
    return home.empty() ? std::filesystem::path() : home / below_home / "hwgcn";
}

}  // namespace

std::filesystem::path default_data_directory() {
    const std::filesystem::path chosen = variable("HWGCN_DATA");
    return chosen.empty() ? user_directory("XDG_DATA_HOME", ".local/share") : chosen;
}

std::filesystem::path default_cache_directory() {
    return user_directory("XDG_CACHE_HOME", ".cache");
}

std::string default_proxy() {
    for (const char* const name : {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"}) {
        if (std::string proxy = variable(name); !proxy.empty()) return proxy;
    }
    return "";
}

bool is_terminal(int descriptor) {
    return ::isatty(descriptor) == 1 && variable("TERM") != "dumb";
}

bool wants_color(int descriptor) {
    return is_terminal(descriptor) && variable("NO_COLOR").empty();
}

}  // namespace hwgcn::cli
