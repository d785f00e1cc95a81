#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/files/file_descriptor.hpp"
#include "base/files/output_file.hpp"

namespace hwgcn {

/// A file that no one else sees yet. Every call throws ExecutionError where the disk refuses.
class OutputFile {
  public:
    /// `name` is for messages.
    OutputFile(FileDescriptor descriptor, std::string name);

    /// At the current place, which moves on.
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

    const std::string& name() const { return name_; }
    void seek(std::uint64_t place) { place_ = place; }
    std::uint64_t place() const { return place_; }

    /// SHA-256 (hex) of what has been written: through this descriptor, whatever happens to the file's name.
    std::string sha256() const;

    /// Down to the disk: a power cut cannot lose it.
    void sync() const;

  private:
    [[noreturn]] void fail() const;  // by errno

    FileDescriptor descriptor_;
    std::string name_;
    std::uint64_t place_ = 0;
};

/// Runs `write` on a new file next to `target`, syncs it and renames it to `target`: readers see the old file
/// or the whole new one, also after a power cut. When `write` throws, nothing is left behind. Creates missing
/// parent folders, and removes what killed processes left of the same target.
void write_atomically(const std::filesystem::path& target, const std::function<void(OutputFile&)>& write);

/// Whether a file is what a killed process left half-written of `target`, or of anything where it is empty.
bool is_leftover(const std::filesystem::path& file, const std::filesystem::path& target = {});

/// Creates a folder and those above it, durably; true where it was not there. Throws ExecutionError.
bool create_folders(const std::filesystem::path& folder);

/// Makes renames and removals in a folder durable.
void sync_folder(const std::filesystem::path& folder);

}  // namespace hwgcn
