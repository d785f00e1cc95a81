#include "base/files/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "hwgcn/base/error.hpp"

#include "base/hash.hpp"

namespace hwgcn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view leftover_suffix = ".partial";

[[noreturn]] void fail_writing(const std::string& name, int error) {
    throw ExecutionError(fmt::format("{}: cannot write: {}", name, std::strerror(error)));
}

fs::path folder_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// FILE.5f3a09c1b2d4e687.partial
fs::path temporary_name(const fs::path& target) {
    std::random_device entropy;
    fs::path temporary = target;
    temporary += fmt::format(".{:08x}{:08x}{}", entropy(), entropy(), leftover_suffix);
    return temporary;
}

// A new file next to the target, open and locked for as long as it is written: no process takes it for what
// a killed one left. Between its creation and its lock one may have: then another file.
FileDescriptor create_temporary(const fs::path& target, fs::path& temporary) {
    constexpr int attempts = 100;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        temporary = temporary_name(target);
        FileDescriptor file(
            ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (!file.is_open()) {
            if (errno == EEXIST || errno == EINTR) continue;
            fail_writing(target.string(), errno);
        }
        const bool in_other_hands = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        struct stat status {};
        if (!in_other_hands && ::fstat(file.get(), &status) == 0 && status.st_nlink > 0) return file;
        ::unlink(temporary.c_str());
    }
    throw ExecutionError(fmt::format("{}: cannot create a temporary file next to it", target.string()));
}

// Whoever writes a temporary file holds its lock: one that can be locked was left by a killed process.
void remove_leftovers(const fs::path& target) {
    std::error_code ignored;
    for (fs::directory_iterator entry(folder_of(target), ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        if (!is_leftover(entry->path(), target)) continue;
        const FileDescriptor file(::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        if (file.is_open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    }
}

// Some file systems cannot sync a folder, or anything; that is no failure.
void sync_descriptor(int descriptor, const std::string& name) {
    while (::fsync(descriptor) != 0) {
        if (errno == EINTR) continue;
        if (errno == EINVAL || errno == ENOTSUP || errno == EROFS) return;
        fail_writing(name, errno);
    }
}

/// Removes the temporary file unless it got its final name.
class Removal {
  public:
    explicit Removal(const fs::path& file) : file_(file) {}
    ~Removal() {
        if (armed_) ::unlink(file_.c_str());
    }
    Removal(const Removal&) = delete;
    Removal& operator=(const Removal&) = delete;
    void disarm() { armed_ = false; }

  private:
    const fs::path& file_;
    bool armed_ = true;
};

}  // namespace

OutputFile::OutputFile(FileDescriptor descriptor, std::string name)
    : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

void OutputFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(place_));
        if (written < 0 && errno == EINTR) continue;
        if (written == 0) errno = ENOSPC;
        if (written <= 0) fail();
        place_ += static_cast<std::uint64_t>(written);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

std::string OutputFile::sha256() const {
    Sha256 hash;
    std::array<char, 1 << 16> buffer;
    for (off_t place = 0;;) {
        const ssize_t got = ::pread(descriptor_.get(), buffer.data(), buffer.size(), place);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail();
        if (got == 0) return hash.hex();
        hash.bytes(buffer.data(), static_cast<std::size_t>(got));
        place += got;
    }
}

void OutputFile::sync() const {
    sync_descriptor(descriptor_.get(), name_);
}

void OutputFile::fail() const {
    fail_writing(name_, errno);
}

bool is_leftover(const fs::path& file, const fs::path& target) {
    const std::string name = file.filename().string();
    constexpr std::size_t random_part = 17;  // with its dot
    const std::size_t added = random_part + leftover_suffix.size();
    if (name.size() <= added || !name.ends_with(leftover_suffix)) return false;
    const std::string_view random = std::string_view(name).substr(name.size() - added, random_part);
    if (random.front() != '.' || random.find_first_not_of("0123456789abcdef", 1) != std::string_view::npos)
        return false;
    return target.empty() || target.filename() == name.substr(0, name.size() - added);
}

bool create_folders(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return false;
    // "a/b/" has no name of its own.
    const fs::path named = folder.has_filename() ? folder : folder.parent_path();
    create_folders(named.parent_path());
    if (::mkdir(named.c_str(), 0777) != 0) {
        const int reason = errno;
        if (fs::is_directory(named, error)) return false;
        throw ExecutionError(
            fmt::format("{}: cannot create the folder: {}", folder.string(), std::strerror(reason)));
    }
    sync_folder(folder_of(named));
    return true;
}

void sync_folder(const fs::path& folder) {
    const FileDescriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!descriptor.is_open()) {
        if (errno == EACCES) return;  // a folder that may be written to but not be listed
        fail_writing(folder.string(), errno);
    }
    sync_descriptor(descriptor.get(), folder.string());
}

void write_atomically(const fs::path& target, const std::function<void(OutputFile&)>& write) {
    create_folders(target.parent_path());
    // A link stays a link: what it points to is replaced.
    std::error_code error;
    const fs::path file = fs::is_symlink(target, error) ? fs::weakly_canonical(target, error) : target;
    remove_leftovers(file);
    fs::path temporary;
    FileDescriptor descriptor = create_temporary(file, temporary);
    Removal removal(temporary);
    OutputFile out(std::move(descriptor), target.string());
    write(out);
    out.sync();
    if (::rename(temporary.c_str(), file.c_str()) != 0) fail_writing(target.string(), errno);
    removal.disarm();
    sync_folder(folder_of(file));
}

void write_text_atomically(const fs::path& target, std::string_view text) {
    write_atomically(target, [&](OutputFile& out) { out.write(text); });
}

void write_text_atomically(const fs::path& target,
                           const std::function<void(const TextWriter& write)>& content) {
    write_atomically(target,
                     [&](OutputFile& out) { content([&](std::string_view text) { out.write(text); }); });
}

}  // namespace hwgcn
