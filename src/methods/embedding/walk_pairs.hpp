#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"

#include "operators/random_walks.hpp"

namespace hwgcn {

/// What DeepWalk draws random numbers for. Each use, in each pass, has streams of its own.
enum class WalkDraw : std::uint64_t { vectors, order, buckets, walk, negatives };

inline RandomStream walk_stream(std::uint64_t seed, WalkDraw draw, int pass, std::int64_t number) {
    return {seed, stream_for(StreamPurpose::walks, static_cast<std::uint64_t>(draw) << 52 |
                                                       static_cast<std::uint64_t>(pass) << 32 |
                                                       static_cast<std::uint64_t>(number))};
}

/// Two nodes of a walk that lie near each other.
struct WalkPair {
    Index centre;
    Index context;
};

/// Pairs by the buckets that their nodes are in: blocks which share neither a bucket of centres nor one of
/// contexts have no row in common.
struct PairBlocks {
    int buckets = 1;
    std::vector<WalkPair> pairs;
    std::vector<std::size_t> offsets = {0, 0};

    std::span<const WalkPair> block(int centre_bucket, int context_bucket) const {
        const std::size_t k = static_cast<std::size_t>(centre_bucket) * buckets + context_bucket;
        return std::span(pairs).subspan(offsets[k], offsets[k + 1] - offsets[k]);
    }
};

struct WalkShape {
    int length;  ///< nodes of a walk
    int window;  ///< the distance of a pair is at most a number that each place of a walk draws
                 ///< from 1..window
};

/// The most pairs that one walk can have.
std::size_t most_pairs(const WalkShape& shape);

/// The pairs of one walk from each of `starts`. Within a block they are in the order of `starts`.
PairBlocks collect_pairs(const RandomWalker& walker, std::span<const Index> starts, const WalkShape& shape,
                         std::uint64_t seed, int pass, std::span<const std::uint8_t> bucket_of, int buckets,
                         const ExecutionControl& control);

}  // namespace hwgcn
