#pragma once

#include <functional>
#include <span>
#include <vector>

#include <CLI/CLI.hpp>

#include "command.hpp"

namespace hwgcn::cli {

/// Runs the command that the arguments (the program's name first) choose, or prints the help or version that
/// they ask for; the exit status.
int run_command(CLI::App& program, const std::vector<Command>& commands,
                std::span<const char* const> arguments);

/// What `main` is around `work`: signals ask it to stop, and its errors become a message and an exit status.
int run_program(const std::function<int()>& work);

}  // namespace hwgcn::cli
