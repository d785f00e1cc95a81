#include "methods/embedding/walk_pairs.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel_for.hpp"

namespace hwgcn {
namespace {

// Walks are counted and written in pieces of this many, whatever the number of threads.
constexpr std::size_t walks_per_piece = 16;

// Walks and how far each place looks around.
class Walks {
  public:
    Walks(std::size_t count, const WalkShape& shape)
        : shape_(shape), nodes_(count * shape.length), reach_(nodes_.size()) {}

    void make(std::size_t number, const RandomWalker& walker, Index start, RandomStream& random) {
        const std::size_t begin = number * shape_.length;
        walker.walk(start, random, std::span(nodes_).subspan(begin, shape_.length));
        for (int place = 0; place < shape_.length; ++place)
            reach_[begin + place] =
                static_cast<std::uint8_t>(1 + random.below(static_cast<std::uint64_t>(shape_.window)));
    }

    template <typename Use>
    void for_each_pair(std::size_t number, const Use& use) const {
        const Index* walk = nodes_.data() + number * shape_.length;
        const std::uint8_t* reach = reach_.data() + number * shape_.length;
        for (int i = 0; i < shape_.length; ++i) {
            const int last = std::min(shape_.length - 1, i + reach[i]);
            for (int j = std::max(0, i - reach[i]); j <= last; ++j) {
                if (j != i) use(WalkPair{walk[i], walk[j]});
            }
        }
    }

  private:
    WalkShape shape_;
    std::vector<Index> nodes_;
    std::vector<std::uint8_t> reach_;
};

// From counts per piece and block to where each piece begins to write in each block: block after block, and
// within a block piece after piece. Returns where the blocks begin.
std::vector<std::size_t> places_from_counts(std::vector<std::size_t>& counts, std::size_t blocks) {
    std::vector<std::size_t> offsets = {0};
    std::size_t total = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
        for (std::size_t k = block; k < counts.size(); k += blocks)
            total += std::exchange(counts[k], total);
        offsets.push_back(total);
    }
    return offsets;
}

}  // namespace

std::size_t most_pairs(const WalkShape& shape) {
    return static_cast<std::size_t>(shape.length) * 2 * static_cast<std::size_t>(shape.window);
}

PairBlocks collect_pairs(const RandomWalker& walker, std::span<const Index> starts, const WalkShape& shape,
                         std::uint64_t seed, int pass, std::span<const std::uint8_t> bucket_of, int buckets,
                         const ExecutionControl& control) {
    const std::size_t blocks = static_cast<std::size_t>(buckets) * buckets;
    const std::size_t pieces = (starts.size() + walks_per_piece - 1) / walks_per_piece;
    const auto block_of = [&](const WalkPair& pair) {
        return static_cast<std::size_t>(bucket_of[pair.centre]) * buckets + bucket_of[pair.context];
    };
    const auto for_pieces = [&](const auto& body) {
        parallel_for(static_cast<std::int64_t>(pieces), 1, {control.threads, nullptr, control.stop},
                     [&](int, std::int64_t piece) {
                         const std::size_t begin = static_cast<std::size_t>(piece) * walks_per_piece;
                         const std::size_t end = std::min(begin + walks_per_piece, starts.size());
                         for (std::size_t walk = begin; walk < end; ++walk)
                             body(walk, static_cast<std::size_t>(piece) * blocks);
                     });
    };

    Walks walks(starts.size(), shape);
    std::vector<std::size_t> places(pieces * blocks);
    for_pieces([&](std::size_t walk, std::size_t first) {
        RandomStream random = walk_stream(seed, WalkDraw::walk, pass, starts[walk]);
        walks.make(walk, walker, starts[walk], random);
        walks.for_each_pair(walk, [&](const WalkPair& pair) { ++places[first + block_of(pair)]; });
    });
    PairBlocks result{buckets, {}, places_from_counts(places, blocks)};
    result.pairs.resize(result.offsets.back());
    for_pieces([&](std::size_t walk, std::size_t first) {
        walks.for_each_pair(
            walk, [&](const WalkPair& pair) { result.pairs[places[first + block_of(pair)]++] = pair; });
    });
    return result;
}

}  // namespace hwgcn
