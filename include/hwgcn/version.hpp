#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hwgcn {

/// "0.1.0"
std::string_view version();

/// The instruction sets that this build carries kernels for and this processor has, best first;
/// the first one is used.
std::vector<std::string> instruction_sets();

}  // namespace hwgcn
