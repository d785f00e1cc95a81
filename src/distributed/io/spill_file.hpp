#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace hwgcn {

/// Where values go that memory is not meant to hold.
struct Spill {
    std::filesystem::path folder = {};  ///< empty: nowhere
    std::string name = {};              ///< of the files in it
    std::size_t most_bytes = 0;         ///< that stay in memory
};

/// Bytes that are written piece by piece and read from the beginning: a file for as long as they are needed.
class SpillFile {
  public:
    explicit SpillFile(std::filesystem::path file) : file_(std::move(file)) {}
    SpillFile(SpillFile&& other) noexcept : file_(std::exchange(other.file_, {})) {}
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;
    SpillFile& operator=(SpillFile&&) = delete;
    ~SpillFile();

    /// Throws ExecutionError where the disk refuses, as `read` does.
    void append(std::span<const std::byte> bytes) const;

    /// Calls use(bytes) for pieces of so many bytes, of which the last may be shorter.
    void read(std::size_t piece, const std::function<void(std::span<const std::byte>)>& use) const;

  private:
    std::filesystem::path file_;
};

}  // namespace hwgcn
