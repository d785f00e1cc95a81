#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hwgcn {

/// "0.2.0"
std::string_view version();

/// The libraries that this one needs, by name, with the version that is running; one that it can do without
/// may be "not built in".
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace hwgcn
