#include <algorithm>
#include <cerrno>
#include <deque>
#include <exception>
#include <memory>

#include <fmt/format.h>
#include <zip.h>

#include "hwgcn/base/error.hpp"

#include "base/files/atomic_file.hpp"
#include "io/numpy/npy_format.hpp"
#include "io/numpy/npz_archive.hpp"

namespace hwgcn {
namespace {

// 1980-01-01 00:00, the earliest time a zip archive can hold: the same file whenever it is written.
constexpr zip_uint16_t fixed_date = 1 << 5 | 1;
constexpr zip_uint16_t fixed_time = 0;

// Adds header and bytes as one member; both must live until the archive is closed.
bool add_member(zip_t* archive, const NpyEntry& entry, const std::string& header) {
    const std::byte* bytes = entry.bytes.data();
    // libzip only reads from fragments, though it takes them as non-const.
    const zip_buffer_fragment_t fragments[] = {
        {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
        {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes)), entry.bytes.size()}};
    const zip_uint64_t parts = entry.bytes.empty() ? 1 : 2;
    zip_source_t* source = zip_source_buffer_fragment(archive, fragments, parts, 0);
    if (source == nullptr) return false;
    const std::string path = entry.name + std::string(npy_member_suffix);
    const zip_int64_t added = zip_file_add(archive, path.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) {
        zip_source_free(source);
        return false;
    }
    const auto index = static_cast<zip_uint64_t>(added);
    return zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, index, fixed_time, fixed_date, 0) == 0;
}

/// An OutputFile as libzip writes to it.
class ZipTarget {
  public:
    explicit ZipTarget(OutputFile& out) : out_(out) { zip_error_init(&error_); }
    ~ZipTarget() { zip_error_fini(&error_); }
    ZipTarget(const ZipTarget&) = delete;
    ZipTarget& operator=(const ZipTarget&) = delete;

    zip_source_t* source() { return zip_source_function_create(&ZipTarget::answer, this, &error_); }
    zip_error_t* error() { return &error_; }

    /// Throws what writing threw: that cannot pass through C.
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    static zip_int64_t answer(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) noexcept {
        return static_cast<ZipTarget*>(self)->serve(data, size, command);
    }

    zip_int64_t serve(void* data, zip_uint64_t size, zip_source_cmd_t command) noexcept {
        switch (command) {
            case ZIP_SOURCE_SUPPORTS:
                return zip_source_make_command_bitmap(
                    ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
                    ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_BEGIN_WRITE,
                    ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_WRITE,
                    ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE, ZIP_SOURCE_REMOVE, -1);
            case ZIP_SOURCE_STAT:
            case ZIP_SOURCE_OPEN:
                return refuse(ZIP_ER_READ, ENOENT);  // a new archive: nothing to read
            case ZIP_SOURCE_ERROR:
                return zip_error_to_data(&error_, data, size);
            case ZIP_SOURCE_WRITE:
                return write(data, size);
            case ZIP_SOURCE_TELL_WRITE:
                return static_cast<zip_int64_t>(out_.place());
            case ZIP_SOURCE_SEEK_WRITE:
                return seek(data, size);
            case ZIP_SOURCE_BEGIN_WRITE:
            case ZIP_SOURCE_COMMIT_WRITE:
            case ZIP_SOURCE_ROLLBACK_WRITE:
            case ZIP_SOURCE_REMOVE:
            case ZIP_SOURCE_FREE:
                return 0;  // write_atomically publishes the file, or removes it
            default:
                return refuse(ZIP_ER_OPNOTSUPP, 0);
        }
    }

    zip_int64_t write(const void* data, zip_uint64_t size) noexcept {
        try {
            out_.write(std::span(static_cast<const std::byte*>(data), size));
            end_ = std::max(end_, out_.place());
            return static_cast<zip_int64_t>(size);
        } catch (...) {
            failure_ = std::current_exception();
            return refuse(ZIP_ER_WRITE, 0);
        }
    }

    zip_int64_t seek(void* data, zip_uint64_t size) noexcept {
        const zip_int64_t place = zip_source_seek_compute_offset(out_.place(), end_, data, size, &error_);
        if (place < 0) return -1;
        out_.seek(static_cast<std::uint64_t>(place));
        return 0;
    }

    zip_int64_t refuse(int reason, int system_reason) noexcept {
        zip_error_set(&error_, reason, system_reason);
        return -1;
    }

    OutputFile& out_;
    std::uint64_t end_ = 0;
    zip_error_t error_;
    std::exception_ptr failure_;
};

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

void write_npz(OutputFile& out, std::span<const NpyEntry> entries) {
    const auto fail = [&](zip_error_t* why) {
        throw ExecutionError(fmt::format("{}: cannot write: {}", out.name(), zip_error_strerror(why)));
    };
    ZipTarget target(out);
    zip_source_t* const source = target.source();
    if (source == nullptr) fail(target.error());
    std::unique_ptr<zip_t, Discard> archive(
        zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, target.error()));
    if (!archive) {
        zip_source_free(source);
        fail(target.error());
    }
    std::deque<std::string> headers;  // members refer to them until the archive is closed
    for (const NpyEntry& entry : entries) {
        if (!add_member(archive.get(), entry,
                        headers.emplace_back(format_npy_header(entry.dtype, entry.shape))))
            fail(zip_get_error(archive.get()));
    }
    if (zip_close(archive.get()) != 0) {
        target.rethrow();
        fail(zip_get_error(archive.get()));
    }
    static_cast<void>(archive.release());  // closing freed it
}

}  // namespace

void write_npz(const std::filesystem::path& file, std::span<const NpyEntry> entries) {
    write_atomically(file, [&](OutputFile& out) { write_npz(out, entries); });
}

std::string write_npz_hashed(const std::filesystem::path& file, std::span<const NpyEntry> entries) {
    std::string hash;
    write_atomically(file, [&](OutputFile& out) {
        write_npz(out, entries);
        hash = out.sha256();
    });
    return hash;
}

}  // namespace hwgcn
