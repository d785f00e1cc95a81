#include "base/files/file_lock.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"

namespace hwgcn {
namespace {

std::string own_description() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) std::strcpy(host.data(), "an unknown host");
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    std::array<char, 32> since{};
    std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S", &local);
    return fmt::format("process {} on {} since {}", ::getpid(), host.data(), since.data());
}

// What the holder wrote; it may be about to.
std::string holder(int descriptor) {
    std::array<char, 400> text{};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

bool is_the_same_file(int descriptor, const std::filesystem::path& file) {
    struct stat open_one {};
    struct stat named {};
    return ::fstat(descriptor, &open_one) == 0 && ::lstat(file.c_str(), &named) == 0 &&
           open_one.st_dev == named.st_dev && open_one.st_ino == named.st_ino;
}

// Nothing where the file that was locked is not the one of this name any more: its holder removed it on
// leaving, after it was opened here.
std::optional<FileDescriptor> try_lock(const std::filesystem::path& file, const std::filesystem::path& what) {
    FileDescriptor descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!descriptor.is_open())
        throw ExecutionError(fmt::format("{}: cannot be created: {}", file.string(), std::strerror(errno)));
    if (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) return std::nullopt;
        if (errno != EWOULDBLOCK)
            throw ExecutionError(
                fmt::format("{}: cannot be locked: {}", file.string(), std::strerror(errno)));
        const std::string who = holder(descriptor.get());
        if (!is_the_same_file(descriptor.get(), file)) return std::nullopt;
        fail_in_file(what.string(), fmt::format("is in use by {}", who));
    }
    if (!is_the_same_file(descriptor.get(), file)) return std::nullopt;
    return descriptor;
}

}  // namespace

FileLock::FileLock(std::filesystem::path file, const std::filesystem::path& what) : file_(std::move(file)) {
    std::optional<FileDescriptor> locked;
    while (!locked)
        locked = try_lock(file_, what);
    descriptor_ = std::move(*locked);
    const std::string text = own_description();
    // Without it the lock holds all the same; only whom to ask is not known.
    if (::ftruncate(descriptor_.get(), 0) == 0) [[maybe_unused]]
        const ssize_t written = ::pwrite(descriptor_.get(), text.data(), text.size(), 0);
}

FileLock::~FileLock() {
    ::unlink(file_.c_str());  // while it is still locked: see try_lock
}

}  // namespace hwgcn
