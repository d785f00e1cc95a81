#pragma once

#include <cstdint>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"

namespace hwgcn {

/// A citation-like graph: degree-corrected communities, and topic words on the nodes. Classes are of equal
/// size (to within one node), every node is labelled, and node numbers say nothing about class or degree.
struct SyntheticOptions {
    Index nodes = 2000;
    Index classes = 5;
    double homophily = 0.8;        ///< share of the edges that join two nodes of the same class
    double mean_degree = 5.0;      ///< distinct undirected edges = nodes * mean_degree / 2, rounded; no loops
    double degree_exponent = 2.5;  ///< power law of the expected degrees, 2.1..100; larger: more even
    Index vocabulary = 1000;       ///< number of features
    Index words = 20;              ///< distinct words per node, each with the value 1
    double topic_share = 0.5;      ///< probability that a word is drawn from the topic of the node's class
    std::uint64_t seed = 0;
    /// Further light edges of a node on average, which join any two nodes; the other edges are heavy then.
    double noise_edges = 0.0;
    double noise_weight = 0.05;  ///< of a light edge, on average, where a heavy one has 1
};

/// Same options, same graph, bit for bit, on any machine and at any thread count. Throws InputError where an
/// option is out of range or there are fewer pairs of nodes than edges asked for.
Dataset make_synthetic(const SyntheticOptions& options, const ExecutionControl& control = {});

/// Zachary's karate club: 34 members, 78 ties, the two factions as labels; the features of a member
/// are the members it knows, itself included.
Dataset make_karate();

}  // namespace hwgcn
