#pragma once

#include <string>
#include <vector>

namespace hwgcn {

/// The instruction sets that this build carries kernels for and this processor has, best first; the first one
/// is used.
std::vector<std::string> instruction_sets();

/// Of Highway, with which the kernels are written.
std::string version_of_highway();

}  // namespace hwgcn
