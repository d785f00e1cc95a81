#include "support/atomic_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "hwgcn/support/error.hpp"

namespace hwgcn {
namespace {

// Unique among processes and among threads of this one.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
    static std::atomic<unsigned> counter{0};
    std::filesystem::path temporary = target;
    temporary += fmt::format(".{}-{}.partial", ::getpid(), counter.fetch_add(1));
    return temporary;
}

}  // namespace

void write_atomically(const std::filesystem::path& target,
                      const std::function<void(const std::filesystem::path&)>& write) {
    std::error_code error;
    if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), error);
    if (error)
        throw RunError(
            fmt::format("{}: cannot create the folder: {}", target.parent_path().string(), error.message()));

    // A link stays a link: what it points to is replaced.
    const std::filesystem::path file = std::filesystem::is_symlink(target, error)
                                           ? std::filesystem::weakly_canonical(target, error)
                                           : target;
    const std::filesystem::path temporary = temporary_name(file);
    try {
        write(temporary);
        std::filesystem::rename(temporary, file);
    } catch (const std::filesystem::filesystem_error& failure) {
        std::filesystem::remove(temporary, error);
        throw RunError(fmt::format("{}: cannot write: {}", target.string(), failure.code().message()));
    } catch (...) {
        std::filesystem::remove(temporary, error);
        throw;
    }
}

void write_text_atomically(const std::filesystem::path& target, std::string_view text) {
    write_atomically(target, [&](const std::filesystem::path& temporary) {
        std::ofstream out(temporary, std::ios::binary);
        out.write(text.data(), static_cast<std::streamsize>(text.size()));
        out.close();
        if (!out) throw RunError(fmt::format("{}: cannot write: {}", target.string(), std::strerror(errno)));
    });
}

std::string read_file(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored))
        fail_in_file(file.string(), "is a folder, a file was expected");
    std::ifstream in(file, std::ios::binary);
    if (!in) fail_in_file(file.string(), fmt::format("cannot open: {}", std::strerror(errno)));
    std::ostringstream content;
    if (in.peek() != std::ifstream::traits_type::eof()) content << in.rdbuf();
    if (in.bad() || content.bad()) fail_in_file(file.string(), "cannot be read to its end");
    return std::move(content).str();
}

}  // namespace hwgcn
