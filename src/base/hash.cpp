#include "base/hash.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace hwgcn {
namespace {

// The letters are those of FIPS 180-4.
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const unsigned char* bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 |
           std::uint32_t{bytes[3]};
}

std::array<std::uint32_t, 64> message_schedule(const unsigned char* block) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t t = 0; t < 16; ++t)
        w[t] = big_endian(block + 4 * t);
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t sigma0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const std::uint32_t sigma1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }
    return w;
}

void add_block(std::array<std::uint32_t, 8>& state, const unsigned char* block) {
    const std::array<std::uint32_t, 64> w = message_schedule(block);
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t upper_sigma1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t upper_sigma0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t t1 = h + upper_sigma1 + ((e & f) ^ (~e & g)) + round_constants[t] + w[t];
        const std::uint32_t t2 = upper_sigma0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state.size(); ++i)
        state[i] += sum[i];
}

}  // namespace

Sha256& Sha256::bytes(const void* data, std::size_t size) {
    const auto* next = static_cast<const unsigned char*>(data);
    std::size_t held = length_ % block_.size();
    length_ += size;
    if (held > 0) {
        const std::size_t taken = std::min(size, block_.size() - held);
        std::copy_n(next, taken, block_.data() + held);
        next += taken;
        size -= taken;
        held += taken;
        if (held < block_.size()) return *this;
        add_block(state_, block_.data());
    }
    for (; size >= block_.size(); next += block_.size(), size -= block_.size())
        add_block(state_, next);
    std::copy_n(next, size, block_.data());
    return *this;
}

Sha256& Sha256::text(std::string_view text) {
    value(static_cast<std::uint64_t>(text.size()));
    return bytes(text.data(), text.size());
}

// A one bit, zeros up to the last eight bytes of a block, and there the length in bits.
std::string Sha256::hex() {
    const std::uint64_t bits = 8 * length_;
    const std::size_t held = length_ % block_.size();
    std::array<unsigned char, 128> padding{0x80};
    const std::size_t zeros_end = (held < 56 ? 56 : 120) - held;
    for (std::size_t i = 0; i < 8; ++i)
        padding[zeros_end + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    bytes(padding.data(), zeros_end + 8);
    std::string result;
    for (const std::uint32_t word : state_)
        result += fmt::format("{:08x}", word);
    return result;
}

}  // namespace hwgcn
