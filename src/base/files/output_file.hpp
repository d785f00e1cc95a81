#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace hwgcn {

/// Writes a new file beside `target`, syncs it and renames it to `target`: readers see the old file or the
/// whole new one, also after a power cut. Creates missing parent folders. Throws ExecutionError where the
/// disk refuses; then nothing is left behind.
void write_text_atomically(const std::filesystem::path& target, std::string_view text);

/// The same for a text that comes in pieces: `content` hands them to what it is given.
using TextWriter = std::function<void(std::string_view text)>;
void write_text_atomically(const std::filesystem::path& target,
                           const std::function<void(const TextWriter& write)>& content);

}  // namespace hwgcn
