#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/random_stream.hpp"

namespace hwgcn {

/// The places of `count` items, or of `most` of them drawn at random, ascending (Knuth's algorithm S). Every
/// k-th item would not do: where classes take turns in a file, every fourth node may be of the same class.
inline std::vector<std::size_t> random_sample(std::size_t count, std::size_t most) {
    RandomStream random(0, stream_for(StreamPurpose::samples, count));
    const std::size_t wanted = std::min(count, most);
    std::vector<std::size_t> places;
    places.reserve(wanted);
    for (std::size_t place = 0; places.size() < wanted; ++place) {
        if (random.below(count - place) < wanted - places.size()) places.push_back(place);
    }
    return places;
}

}  // namespace hwgcn
