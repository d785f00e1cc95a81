#pragma once

#include <vector>

#include "autodiff/pair_ops.hpp"
#include "methods/pass.hpp"

namespace hwgcn {

// Pairs of nodes that embeddings learn from, drawn anew in every epoch.

/// Random walks on the weights of a graph, one from every node that has neighbors.
struct WalkOptions {
    int steps = 10;
    int window = 5;  ///< positions of a walk that are each other's context
    int pairs = 10;  ///< drawn from each walk
};

/// Pairs within the window of a walk, each followed by one of the same node and any node, of sign -1.
std::vector<ContextPair> walk_contexts(const CsrMatrix<float>& weights, const WalkOptions& options,
                                       RandomStream random, const ExecutionControl& control = {});

/// `pairs` times for every labelled node: it and one of its class (itself, where it is the only one), then it
/// and one of another class, of sign -1. None where all labels are the same.
std::vector<ContextPair> label_contexts(const LearnedLabels& known, int pairs, RandomStream random);

/// At most `count` pairs of different nodes without an edge: those among as many random pairs of nodes.
std::vector<RowPair> unconnected_pairs(const CsrMatrix<float>& weights, std::int64_t count,
                                       RandomStream random);

}  // namespace hwgcn
