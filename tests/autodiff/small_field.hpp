#pragma once

#include <memory>
#include <vector>

#include "graph/random_graph.hpp"
#include "operators/propagation.hpp"
#include "operators/random_weights.hpp"
#include "operators/receptive_field.hpp"

namespace hwgcn::testing {

/// The operator of a random graph with weights of a second order: not symmetric.
inline Propagation random_propagation(Index nodes, int edges, double density, std::uint64_t seed) {
    const Graph graph(nodes, random_edges(nodes, edges, seed));
    return build_propagation(graph, random_weights(nodes, 1, density, seed));
}

inline std::shared_ptr<const CsrMatrix<float>> shared_features(Index nodes, Index columns, double density,
                                                               std::uint64_t seed) {
    return std::make_shared<const CsrMatrix<float>>(random_features(nodes, columns, density, seed));
}

/// Three of twelve nodes, one step away from the features: fewer outputs than inputs, fewer inputs than
/// nodes.
inline ReceptiveField small_field() {
    const std::vector<Index> outputs = {7, 2, 9};
    return receptive_field(random_propagation(12, 10, 0.08, 3), shared_features(12, 9, 0.5, 4), outputs, 1);
}

}  // namespace hwgcn::testing
