#include "reproduce_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn::cli {
namespace {

// Next to this program, else in libexec/hwgcn, else (by its name alone) in PATH.
std::vector<std::string> places_of(const std::string& name) {
    std::error_code unknown;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    if (unknown) return {name};
    const std::filesystem::path folder = self.parent_path();
    return {folder / name, folder.parent_path() / "libexec" / "hwgcn" / name, name};
}

}  // namespace

void start_reproduce_program(std::span<char* const> arguments) {
    const auto asks_for_help = [](std::string_view word) {
        return word == "-h" || word == "--help" || word == "--help-all";
    };
    if (arguments.empty()) return;
    const auto command = std::find_if_not(arguments.begin() + 1, arguments.end(), asks_for_help);
    if (command == arguments.end() || std::string_view(*command) != "reproduce") return;
    std::string name = "hwgcn-reproduce";
    std::vector<char*> words(arguments.begin(), command);
    words.front() = name.data();
    words.insert(words.end(), command + 1, arguments.end());
    words.push_back(nullptr);
    int reason = ENOENT;
    for (const std::string& place : places_of(name)) {
        ::execvp(place.c_str(), words.data());
        if (reason == ENOENT) reason = errno;
    }
    throw InputError(fmt::format(
        "this command is a program of its own, {}, which cannot be started ({}): cmake --build --preset "
        "release builds it, the component reproduce installs it",
        name, std::strerror(reason)));
}

}  // namespace hwgcn::cli
