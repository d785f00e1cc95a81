#include "distributed/io/spill_file.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/files/file_descriptor.hpp"
#include "base/input_stream.hpp"

namespace hwgcn {

SpillFile::~SpillFile() {
    std::error_code ignored;
    if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

void SpillFile::append(std::span<const std::byte> bytes) const {
    const FileDescriptor out(::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ssize_t written = 0;
    while (out.is_open() && !bytes.empty()) {
        written = ::write(out.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) break;
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    if (!out.is_open() || written < 0)
        throw ExecutionError(fmt::format("{}: cannot be written: {}", file_.string(), std::strerror(errno)));
}

void SpillFile::read(std::size_t piece, const std::function<void(std::span<const std::byte>)>& use) const {
    InputStream in(file_);
    std::vector<char> buffer(piece);
    for (std::size_t filled = 0;;) {
        const std::size_t got = in.read(buffer.data() + filled, piece - filled);
        filled += got;
        if (got > 0 && filled < piece) continue;
        if (filled > 0) use(std::as_bytes(std::span(buffer)).first(filled));
        if (got == 0) return;
        filled = 0;
    }
}

}  // namespace hwgcn
