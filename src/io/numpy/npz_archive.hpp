#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/numpy/numpy_array.hpp"

struct zip;

namespace hwgcn {

/// Of libzip, which reads and writes archives.
std::string version_of_libzip();

/// The arrays of a `.npz` file, a zip archive with one `.npy` file per array. Each is read when asked for.
class NpzArchive {
  public:
    /// Names of the arrays, without ".npy".
    const std::vector<std::string>& names() const { return names_; }
    bool has(std::string_view name) const;

    /// What an array holds, as `element_kind` says, without reading it. `array` refuses 'O', Python objects.
    char kind(std::string_view name) const;

    NumpyArray array(std::string_view name) const;

    /// The elements of a numeric array, converted as `to_vector` does.
    template <typename T>
    std::vector<T> values(std::string_view name) const {
        return to_vector<T>(array(name), where(name));
    }

    const std::string& file() const { return file_; }

    /// How messages about an array start: "cora.npz: array 'labels'".
    std::string where(std::string_view name) const;

  private:
    friend NpzArchive read_npz(const std::filesystem::path& file);
    friend NpzArchive read_npz_memory(std::string_view bytes, std::string file);

    struct Close {
        void operator()(zip* archive) const;
    };
    NpzArchive(std::unique_ptr<zip, Close> archive, std::uint64_t archive_bytes, std::string file);
    std::string member(std::string_view name, std::uint64_t limit) const;

    std::unique_ptr<zip, Close> archive_;
    std::uint64_t archive_bytes_;
    std::string file_;
    std::vector<std::string> names_;
};

NpzArchive read_npz(const std::filesystem::path& file);

/// The same from memory, which must outlive the result; `file` is for messages.
NpzArchive read_npz_memory(std::string_view bytes, std::string file);

/// What the name of an array has in the archive.
inline constexpr std::string_view npy_member_suffix = ".npy";

/// One array to write. The bytes stay the caller's.
struct NpyEntry {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
};

/// The dtype of a C++ number: "<f4" for float.
template <typename T>
requires std::is_arithmetic_v<T> std::string dtype_of() {
    static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return std::string(sizeof(T) == 1 ? "|" : "<") + kind + std::to_string(sizeof(T));
}

/// An entry for numbers in memory; without a shape it has one axis.
template <typename T>
NpyEntry npy_entry(std::string name, std::span<const T> values, std::vector<std::int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(values.size())};
    return {std::move(name), dtype_of<T>(), std::move(shape), std::as_bytes(values)};
}
template <typename T>
NpyEntry npy_entry(std::string name, const std::vector<T>& values, std::vector<std::int64_t> shape = {}) {
    return npy_entry(std::move(name), std::span<const T>(values), std::move(shape));
}
template <typename T>
NpyEntry npy_entry(std::string, std::vector<T>&&, std::vector<std::int64_t> = {}) = delete;  // would dangle

/// Writes the arrays uncompressed and atomically; the same arrays give the same bytes.
void write_npz(const std::filesystem::path& file, std::span<const NpyEntry> entries);

/// The same, and returns the SHA-256 of what was written.
std::string write_npz_hashed(const std::filesystem::path& file, std::span<const NpyEntry> entries);

}  // namespace hwgcn
