#pragma once

#include <filesystem>

#include "base/files/file_descriptor.hpp"

namespace hwgcn {

/// Keeps other processes away from something for as long as it lives. The lock is the kernel's and vanishes
/// with the process, however it ends; the file only says who holds it.
class FileLock {
  public:
    /// Locks `file`, which is created, and removed in the end. Throws InputError, saying who holds it, where
    /// another process does: `what` is the thing that is in use. ExecutionError where locks cannot be had.
    FileLock(std::filesystem::path file, const std::filesystem::path& what);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

  private:
    std::filesystem::path file_;
    FileDescriptor descriptor_;
};

}  // namespace hwgcn
