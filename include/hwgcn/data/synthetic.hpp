#pragma once

#include <cstdint>

#include "hwgcn/data/dataset.hpp"

namespace hwgcn {

/// A citation-like graph: degree-corrected communities, and topic words on the nodes.
struct SyntheticOptions {
    Index nodes = 2000;
    Index classes = 5;
    double homophily = 0.8;        ///< probability that an edge is drawn inside the class of its first end
    double mean_degree = 5.0;      ///< undirected edges = nodes * mean_degree / 2
    double degree_exponent = 2.5;  ///< power-law exponent of the expected degrees; larger: more even
    Index vocabulary = 1000;       ///< number of features
    Index words = 20;              ///< distinct words per node
    double topic_share = 0.5;      ///< probability that a word is drawn from the topic of the node's class
    std::uint64_t seed = 0;
};

/// Same options, same graph, bit for bit, on any machine and at any thread count.
Dataset make_synthetic(const SyntheticOptions& options);

/// Zachary's karate club: 34 members, 78 ties, the two factions as labels, one-hot member features.
Dataset make_karate();

}  // namespace hwgcn
