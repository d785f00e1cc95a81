#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace hwgcn {

/// SHA-256 (FIPS 180-4) of a stream of bytes. Against damage and mix-ups, not for secrets.
class Sha256 {
  public:
    Sha256& bytes(const void* data, std::size_t size);

    /// The number of characters first, then the characters: "ab","c" and "a","bc" differ.
    Sha256& text(std::string_view value);

    /// A number or another plain value, as it lies in memory.
    template <typename T>
    requires std::is_arithmetic_v<T> Sha256& value(T plain) { return bytes(&plain, sizeof plain); }

    /// The number of elements first, then the elements.
    template <typename Range>
    requires std::is_arithmetic_v<typename Range::value_type> Sha256& array(const Range& range) {
        value(static_cast<std::uint64_t>(range.size()));
        return bytes(range.data(), range.size() * sizeof(typename Range::value_type));
    }

    /// 64 hex digits; the object is used up.
    std::string hex();

  private:
    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> block_{};  // its first length_ % 64 bytes wait for the others
    std::uint64_t length_ = 0;               // in bytes
};

}  // namespace hwgcn
