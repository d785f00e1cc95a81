#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

// Philox needs no SSE, and the headers of the intrinsics take longer to compile than everything else here.
#define R123_USE_SSE 0
#include <Random123/philox.h>

namespace hwgcn {

/// What random numbers of a run are for, as the highest byte of a stream: no two purposes share numbers,
/// whatever the seed.
enum class StreamPurpose : std::uint8_t {
    split,
    parameters,
    dropout,
    walks,
    folds,
    sweeps,
    permutations,
    groups,
    samples,
    columns,
    resamples
};

/// Stream `number`, of 56 bits, of a purpose.
constexpr std::uint64_t stream_for(StreamPurpose purpose, std::uint64_t number) {
    return static_cast<std::uint64_t>(purpose) << 56 | number;
}

/// Random numbers from a counter: number k of stream (seed, stream) is a pure function of the three, so
/// results do not depend on threads or on how much others drew. Philox 4x32-10.
class RandomStream {
  public:
    RandomStream(std::uint64_t seed, std::uint64_t stream)
        : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
          counter_{{0, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}} {}

    /// Uniform in [0, 2^64).
    std::uint64_t bits() {
        if (half_ == 0) {
            block_ = r123::Philox4x32()(counter_, key_);
            if (++counter_[0] == 0) ++counter_[1];
        }
        const std::uint64_t low = block_[half_];
        const std::uint64_t high = block_[half_ + 1];
        half_ = half_ == 0 ? 2 : 0;
        return high << 32 | low;
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

    /// Uniform in [0, bound), without bias: the high half of a 128-bit product, redrawn in the short first
    /// interval.
    std::uint64_t below(std::uint64_t bound) {
        const std::uint64_t short_interval = (0 - bound) % bound;
        for (;;) {
            const Wide product = static_cast<Wide>(bits()) * bound;
            if (static_cast<std::uint64_t>(product) >= short_interval)
                return static_cast<std::uint64_t>(product >> 64);
        }
    }

    /// Puts the items into a random order.
    template <typename Item>
    void shuffle(std::span<Item> items) {
        for (std::size_t k = items.size(); k > 1; --k)
            std::swap(items[k - 1], items[below(k)]);
    }

  private:
    __extension__ using Wide = unsigned __int128;

    r123::Philox4x32::key_type key_;
    r123::Philox4x32::ctr_type counter_;
    r123::Philox4x32::ctr_type block_{};
    unsigned half_ = 0;
};

}  // namespace hwgcn
