#pragma once

#include <vector>

#include "command.hpp"

namespace hwgcn::cli {

void add_reproduce_command(CLI::App& program, std::vector<Command>& commands);

}  // namespace hwgcn::cli
