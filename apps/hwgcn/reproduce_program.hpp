#pragma once

#include <span>

namespace hwgcn::cli {

/// `hwgcn reproduce ..` is the program `hwgcn-reproduce ..`, a component of its own: becomes that program
/// where the arguments say so. Throws InputError where it is not installed.
void start_reproduce_program(std::span<char* const> arguments);

}  // namespace hwgcn::cli
