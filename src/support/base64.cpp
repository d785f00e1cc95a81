#include "support/base64.hpp"

#include <algorithm>

#include <openssl/evp.h>

namespace hwgcn {

std::string base64(std::span<const std::byte> bytes) {
    std::string text((bytes.size() + 2) / 3 * 4, '\0');
    // One byte more than the text for the zero that it ends with, which a string has. In pieces, because the
    // length is an int; a piece is a multiple of three bytes, so that only the last one is padded.
    constexpr std::size_t piece = 3U << 20U;
    for (std::size_t start = 0; start < bytes.size(); start += piece) {
        const std::span<const std::byte> part = bytes.subspan(start, std::min(piece, bytes.size() - start));
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()) + start / 3 * 4,
                        reinterpret_cast<const unsigned char*>(part.data()), static_cast<int>(part.size()));
    }
    return text;
}

}  // namespace hwgcn
