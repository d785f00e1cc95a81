#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace hwgcn {

/// SHA-256 of a stream of bytes.
class Sha256 {
  public:
    Sha256();
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    Sha256& bytes(const void* data, std::size_t size);

    /// The number of characters first, then the characters, so that "ab","c" and "a","bc" differ.
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
    struct Context;
    std::unique_ptr<Context> context_;
};

}  // namespace hwgcn
