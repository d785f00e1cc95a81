#include "base/files/input_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "base/input_stream.hpp"

namespace hwgcn {
namespace {

StreamLimit stream_limit;

// Whether the machine is short of something, as opposed to a file that is not there or not ours.
bool is_failure_of_the_machine(int error) {
    return error == EIO || error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR ||
           error == ENOLCK;
}

}  // namespace

InputStream::InputStream(const std::filesystem::path& path) : name_(path.string()) {
    descriptor_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!descriptor_.is_open()) fail("cannot open", errno);
    struct stat status {};
    if (::fstat(descriptor_.get(), &status) != 0) fail("cannot open", errno);
    if (S_ISDIR(status.st_mode)) fail_in_file(name_, "is a folder, a file was expected");
    is_regular_ = S_ISREG(status.st_mode);
    if (is_regular_) size_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t InputStream::read(char* bytes, std::size_t room) {
    ssize_t got;
    do {
        got = ::read(descriptor_.get(), bytes, room);
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail_run(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (got == 0 && position_ < size_) fail_run("became shorter while it was read");
    position_ += static_cast<std::uint64_t>(got);
    if (!is_regular_ && position_ > stream_limit.bytes) {
        fail_in_file(name_, fmt::format("is not a regular file, and goes on beyond {} bytes{}",
                                        stream_limit.bytes, stream_limit.advice));
    }
    return static_cast<std::size_t>(got);
}

void InputStream::fail_run(const std::string& message) const {
    throw ExecutionError(fmt::format("{}: {}", name_, message));
}

void InputStream::fail(std::string_view what, int error) const {
    const std::string message = fmt::format("{}: {}", what, std::strerror(error));
    if (is_failure_of_the_machine(error)) fail_run(message);
    fail_in_file(name_, message);
}

std::string read_file(const std::filesystem::path& file) {
    InputStream in(file);
    std::string content;
    std::size_t filled = 0;
    try {
        for (;;) {
            // One byte more than the file has, so that its end is seen without growing.
            constexpr std::size_t least_room = 1 << 16;
            if (filled == content.size())
                content.resize(std::max({in.size() + 1, std::uint64_t{least_room}, 2 * content.size()}));
            const std::size_t got = in.read(content.data() + filled, content.size() - filled);
            if (got == 0) break;
            filled += got;
        }
        content.resize(filled);
    } catch (const std::bad_alloc&) {
        in.fail_run(fmt::format("memory does not suffice for its {} bytes", std::max(in.size(), filled)));
    } catch (const std::length_error&) {
        in.fail_run("is longer than memory can be");
    }
    return content;
}

std::string file_sha256(const std::filesystem::path& file) {
    InputStream in(file);
    Sha256 hash;
    std::array<char, 1 << 16> buffer;
    while (const std::size_t got = in.read(buffer.data(), buffer.size()))
        hash.bytes(buffer.data(), got);
    return hash.hex();
}

void set_stream_limit(StreamLimit limit) {
    stream_limit = std::move(limit);
}

}  // namespace hwgcn
