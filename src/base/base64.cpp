#include "base/base64.hpp"

#include <cstdint>
#include <string_view>

namespace hwgcn {
namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t start = 0; start < bytes.size(); start += 3) {
        const std::size_t count = bytes.size() - start < 3 ? bytes.size() - start : 3;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < 3; ++i)
            bits = bits << 8 | (i < count ? std::to_integer<std::uint32_t>(bytes[start + i]) : 0);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= count ? letters[bits >> (18 - 6 * i) & 63] : '=';
    }
    return text;
}

}  // namespace hwgcn
