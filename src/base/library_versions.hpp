#pragma once

#include <string>

namespace hwgcn {

// Of the libraries that are running. The layers that use others say theirs.
std::string version_of_fmt();
std::string version_of_zlib();

}  // namespace hwgcn
