#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/files/file_descriptor.hpp"

namespace hwgcn {

/// A file, a pipe or a device that is read from its beginning to its end.
class InputStream {
  public:
    explicit InputStream(const std::filesystem::path& path);

    const std::string& name() const { return name_; }
    bool is_regular() const { return is_regular_; }  ///< a plain file
    std::uint64_t size() const { return size_; }     ///< 0 where it is not known

    /// As many bytes as are there, at most `room`; 0 at the end.
    std::size_t read(char* bytes, std::size_t room);

    [[noreturn]] void fail_run(const std::string& message) const;

  private:
    [[noreturn]] void fail(std::string_view what, int error) const;

    std::string name_;
    FileDescriptor descriptor_;
    bool is_regular_ = false;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
};

}  // namespace hwgcn
