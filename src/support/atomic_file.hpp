#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace hwgcn {

/// Runs `write` on a temporary path beside `target`, then renames it to `target`: readers see the old file or
/// the whole new one. When `write` throws, the temporary file is removed. Creates missing parent folders.
void write_atomically(const std::filesystem::path& target,
                      const std::function<void(const std::filesystem::path& temporary)>& write);

/// The same for a text that is already in memory.
void write_text_atomically(const std::filesystem::path& target, std::string_view text);

/// The whole file as bytes; InputError where it cannot be opened.
std::string read_file(const std::filesystem::path& file);

}  // namespace hwgcn
