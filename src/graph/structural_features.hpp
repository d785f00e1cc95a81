#pragma once

#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/graph/graph.hpp"

namespace hwgcn {

/// Numbers that tell the places of nodes in a graph apart, for graphs whose nodes have no features.
struct StructuralFeatures {
    CsrMatrix<float> values;         ///< nodes x columns, as computed: not scaled, zeros not stored
    std::vector<std::string> names;  ///< per column
    std::vector<std::string> notes;  ///< columns that were left out, because they would take too long
};

/// Per node, with d neighbors other than itself:
/// - "degree": log(1 + d), and "degree of neighbors": log(1 + their mean degree);
/// - "core number": log(1 + k) for the largest k such that the node is in a subgraph of degrees >= k;
/// - "clustering": the share of the pairs of its neighbors that are connected, 0 where there are no pairs;
/// - "return in k steps", k = 2..8: the probability that a random walk from the node is back after k steps.
/// All are 0 for isolated nodes; self-loops are passed over. The walks are counted before, and as many steps
/// are taken as all nodes can afford, the same ones for all. Exact, and the same bits at any thread count.
StructuralFeatures structural_features(const Graph& graph, const ExecutionControl& control = {});

/// Gives them to a dataset that has no features, as numbers; `graph` is the dataset's. Returns what is to be
/// said about it. A dataset with features stays as it is, and there is nothing to say.
std::vector<std::string> use_structural_features(Dataset& dataset, const Graph& graph,
                                                 const ExecutionControl& control = {});

}  // namespace hwgcn
