#pragma once

#include <utility>

#include <unistd.h>

namespace hwgcn {

/// Owns a descriptor and closes it.
class FileDescriptor {
  public:
    explicit FileDescriptor(int number = -1) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() {
        if (number_ >= 0) ::close(number_);
    }

    int get() const { return number_; }
    bool is_open() const { return number_ >= 0; }

  private:
    int number_;
};

}  // namespace hwgcn
