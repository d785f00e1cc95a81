#pragma once

#include <string_view>

namespace hwgcn {

/// "0.2.0"
std::string_view version();

}  // namespace hwgcn
