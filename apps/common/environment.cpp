#include "environment.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"

namespace hwgcn::cli {
namespace {

const auto program_start = std::chrono::steady_clock::now();

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

StreamLimit chosen_stream_limit() {
    constexpr const char* name = "HWGCN_STREAM_GB";
    StreamLimit limit;
    limit.advice = fmt::format("; {} sets how many gigabytes are read", name);
    const std::string text = variable(name);
    if (text.empty()) return limit;
    const std::optional<double> gigabytes = parse_value<double>(text);
    if (!gigabytes || !Range<double>{0, 1e6, true}.contains(*gigabytes))
        throw InputError(fmt::format("{}: expected a number of gigabytes above 0, got '{}'", name, text));
    limit.bytes = static_cast<std::uint64_t>(*gigabytes * 0x1p30);
    return limit;
}

double seconds_since_start() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_start).count();
}

void open_standard_descriptors() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
        // The lowest free number is this one, because those below are open.
        if (::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
            throw ExecutionError(
                "standard input, output or error is closed, and /dev/null cannot take its place");
    }
}

// mpirun gives its processes a terminal of its own for standard output, whatever it does with what they
// write. Only the terminal that a process was started from answers the second question.
bool is_terminal(int descriptor) {
    return ::isatty(descriptor) == 1 && ::tcgetpgrp(descriptor) != -1 && variable("TERM") != "dumb";
}

bool wants_color(int descriptor) {
    return is_terminal(descriptor) && variable("NO_COLOR").empty();
}

}  // namespace hwgcn::cli
