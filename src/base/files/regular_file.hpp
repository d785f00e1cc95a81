#pragma once

#include <filesystem>
#include <string>

namespace hwgcn {

/// Throws InputError where a file that is part of a folder of ours is a pipe or a device: opening a pipe that
/// has no writer would never end. What is not there, or is a folder, is left to whoever opens it.
void expect_regular_file(const std::filesystem::path& file);

/// The whole of such a file, as `read_file` does.
std::string read_regular_file(const std::filesystem::path& file);

}  // namespace hwgcn
