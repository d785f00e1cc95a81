#include "graph/sample_order.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

namespace hwgcn {

// The output function of SplitMix64, which maps the 64-bit numbers one to one.
std::uint64_t sample_hash(std::uint64_t number) {
    std::uint64_t bits = number + 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

SampleOrder::SampleOrder(const Graph& graph, std::span<const Index> numbers) {
    if (!numbers.empty() && static_cast<Index>(numbers.size()) != graph.nodes()) {
        throw InputError(
            fmt::format("order of samples: {} numbers for {} nodes", numbers.size(), graph.nodes()));
    }
    std::vector<std::pair<std::uint64_t, Index>> hashes;
    hashes.reserve(static_cast<std::size_t>(graph.nodes()));
    for (Index node = 0; node < graph.nodes(); ++node) {
        const Index number = numbers.empty() ? node : numbers[node];
        hashes.emplace_back(sample_hash(static_cast<std::uint64_t>(number)), node);
    }
    std::sort(hashes.begin(), hashes.end());
    places_.resize(hashes.size());
    for (const auto& [hash, node] : hashes) {
        places_[node] = static_cast<Index>(nodes_.size());
        nodes_.push_back(node);
    }
    list_neighbors(graph);
}

// List by list: where only some lists of a larger graph are known, they are not symmetric.
void SampleOrder::list_neighbors(const Graph& graph) {
    offsets_.assign(graph.offsets().begin(), graph.offsets().end());
    neighbors_.reserve(graph.all_neighbors().size());
    for (const Index neighbor : graph.all_neighbors())
        neighbors_.push_back(places_[neighbor]);
    for (Index node = 0; node < nodes(); ++node)
        std::sort(neighbors_.begin() + offsets_[node], neighbors_.begin() + offsets_[node + std::size_t{1}]);
}

}  // namespace hwgcn
