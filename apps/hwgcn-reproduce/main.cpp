#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/version.hpp"

#include "command.hpp"
#include "command_reproduce.hpp"
#include "program.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

// What `hwgcn-reproduce ..` says and does is what `hwgcn reproduce ..` says and does.
int run_arguments(std::span<char* const> arguments) {
    std::vector<const char*> words = {"hwgcn"};
    if (arguments.size() != 2 || std::string_view(arguments[1]) != "--version") words.push_back("reproduce");
    if (!arguments.empty()) words.insert(words.end(), arguments.begin() + 1, arguments.end());
    CLI::App program("", words.front());
    set_up_program(program);
    program.set_version_flag("--version", fmt::format("hwgcn {}", version()), "the version");
    std::vector<Command> commands;
    add_reproduce_command(program, commands);
    return run_command(program, commands, words);
}

}  // namespace
}  // namespace hwgcn::cli

int main(int argc, char** argv) {
    return hwgcn::cli::run_program([&] {
        return hwgcn::cli::run_arguments({argv, static_cast<std::size_t>(argc)});
    });
}
