#include "io/numpy/npz_archive.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <zip.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "io/numpy/npy_format.hpp"

namespace hwgcn {
namespace {

// Arrays of numbers shrink a few times; only long runs of one number shrink more (up to 1032 times), and
// those are small. A member that is both large and shrunk beyond that is a bomb, or damaged.
constexpr std::uint64_t max_ratio = 64;
constexpr std::uint64_t ratio_slack = std::uint64_t{64} << 20;
constexpr std::uint64_t max_member_bytes = std::uint64_t{16} << 30;

struct CloseMember {
    void operator()(zip_file_t* member) const { zip_fclose(member); }
};

// An error of libzip with its text.
class ZipError {
  public:
    ZipError() { zip_error_init(&error_); }
    ~ZipError() { zip_error_fini(&error_); }
    ZipError(const ZipError&) = delete;
    ZipError& operator=(const ZipError&) = delete;

    zip_error_t* get() { return &error_; }
    std::string text() { return zip_error_strerror(&error_); }

  private:
    zip_error_t error_;
};

// Bad input, unless libzip says that it was the disk or the memory.
[[noreturn]] void fail_reading(std::string_view where, zip_error_t* error, std::string_view what) {
    const std::string message = fmt::format("{}: {}", what, zip_error_strerror(error));
    switch (zip_error_code_zip(error)) {
        case ZIP_ER_READ:
        case ZIP_ER_SEEK:
        case ZIP_ER_CLOSE:
        case ZIP_ER_MEMORY:
            throw ExecutionError(fmt::format("{}: {}", where, message));
        default:
            fail_in_file(where, message);
    }
}

// Opens an archive for reading from a source, which it takes over.
zip_t* open_for_reading(zip_source_t* source, ZipError& error, std::string_view file) {
    zip_t* archive = source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, error.get());
    if (archive == nullptr) {
        zip_source_free(source);
        fail_reading(file, error.get(), "cannot be read as a .npz (zip) archive");
    }
    return archive;
}

std::vector<std::string> array_names(zip_t* archive) {
    std::vector<std::string> names;
    const auto count = static_cast<zip_uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(archive, 0)));
    for (zip_uint64_t i = 0; i < count; ++i) {
        const char* name = zip_get_name(archive, i, 0);
        if (name == nullptr || !std::string_view(name).ends_with(npy_member_suffix)) continue;
        names.emplace_back(name, std::string_view(name).size() - npy_member_suffix.size());
    }
    return names;
}

}  // namespace

void NpzArchive::Close::operator()(zip* archive) const {
    zip_discard(archive);
}

NpzArchive::NpzArchive(std::unique_ptr<zip, Close> archive, std::uint64_t archive_bytes, std::string file)
    : archive_(std::move(archive)),
      archive_bytes_(archive_bytes),
      file_(std::move(file)),
      names_(array_names(archive_.get())) {}

bool NpzArchive::has(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::string NpzArchive::where(std::string_view name) const {
    return fmt::format("{}: array '{}'", file_, name);
}

// The first `limit` bytes of a member. Only a member read to its end has its checksum verified.
std::string NpzArchive::member(std::string_view name, std::uint64_t limit) const {
    if (!has(name)) fail_in_file(file_, fmt::format("has no array '{}'", name));
    const std::string path = std::string(name) + std::string(npy_member_suffix);
    const auto damaged = [&](std::string_view why) { fail_in_file(where(name), why); };

    zip_stat_t stat;
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat(archive_.get(), path.c_str(), 0, &stat) != 0 || (stat.valid & needed) != needed) {
        damaged("has no size in the archive");
    }
    if (stat.size > max_member_bytes) damaged(fmt::format("claims {} bytes, too many", stat.size));
    if (stat.comp_size > archive_bytes_ || stat.size > max_ratio * stat.comp_size + ratio_slack) {
        damaged(fmt::format("claims {} bytes in {} compressed ones, more than can be", stat.size,
                            stat.comp_size));
    }
    const std::unique_ptr<zip_file_t, CloseMember> file(zip_fopen(archive_.get(), path.c_str(), 0));
    if (!file) fail_reading(where(name), zip_get_error(archive_.get()), "cannot be opened");

    std::string content(std::min<std::uint64_t>(stat.size, limit), '\0');
    std::uint64_t filled = 0;
    while (filled < content.size()) {
        const zip_int64_t got = zip_fread(file.get(), content.data() + filled, content.size() - filled);
        if (got < 0) fail_reading(where(name), zip_file_get_error(file.get()), "damaged");
        if (got == 0) damaged(fmt::format("ends after {} of {} bytes", filled, stat.size));
        filled += static_cast<std::uint64_t>(got);
    }
    if (filled == stat.size) {
        char beyond = 0;
        const zip_int64_t got = zip_fread(file.get(), &beyond, 1);
        if (got < 0) fail_reading(where(name), zip_file_get_error(file.get()), "damaged");
        if (got > 0) damaged(fmt::format("is longer than the {} bytes it claims", stat.size));
    }
    return content;
}

char NpzArchive::kind(std::string_view name) const {
    const NpyHeader header = parse_npy_header(member(name, max_npy_header_bytes), where(name));
    return element_kind(header.array, where(name));
}

NumpyArray NpzArchive::array(std::string_view name) const {
    std::string content = member(name, max_member_bytes);
    NpyHeader header = parse_npy_header(content, where(name));
    content.erase(0, header.size);
    header.array.bytes = std::move(content);
    element_count(header.array, where(name));
    return std::move(header.array);
}

NpzArchive read_npz(const std::filesystem::path& file) {
    std::error_code failure;
    const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
    if (failure) fail_in_file(file.string(), fmt::format("cannot open: {}", failure.message()));
    ZipError error;
    zip_source_t* source = zip_source_file_create(file.c_str(), 0, -1, error.get());
    zip_t* archive = open_for_reading(source, error, file.string());
    return NpzArchive(std::unique_ptr<zip, NpzArchive::Close>(archive), bytes, file.string());
}

NpzArchive read_npz_memory(std::string_view bytes, std::string file) {
    ZipError error;
    zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
    zip_t* archive = open_for_reading(source, error, file);
    return NpzArchive(std::unique_ptr<zip, NpzArchive::Close>(archive), bytes.size(), std::move(file));
}

std::string version_of_libzip() {
    return zip_libzip_version();
}

}  // namespace hwgcn
