#pragma once

#include <vector>

#include "hwgcn/graph/graph.hpp"

#include "base/random_stream.hpp"

namespace hwgcn::testing {

/// Random edges with repeats, both directions and loops, as they come from files.
inline std::vector<Edge> random_edges(Index nodes, int count, std::uint64_t seed) {
    RandomStream random(seed, 0);
    std::vector<Edge> edges;
    for (int k = 0; k < count; ++k) {
        const auto end = [&] { return static_cast<Index>(random.below(static_cast<std::uint64_t>(nodes))); };
        edges.push_back({end(), end()});
    }
    return edges;
}

/// Random sparse non-negative features; some rows stay empty.
inline CsrMatrix<float> random_features(Index rows, Index columns, double density, std::uint64_t seed) {
    RandomStream random(seed, 1);
    std::vector<Triplet<float>> triplets;
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            if (random.uniform() < density) triplets.push_back({i, j, static_cast<float>(random.uniform())});
        }
    }
    return csr_from_triplets(rows, columns, std::move(triplets));
}

}  // namespace hwgcn::testing
