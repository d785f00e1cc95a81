#pragma once

#include "hwgcn/models/prepared_graph.hpp"

namespace hwgcn {

/// How much more alike the features of neighbors are than those of any two nodes: (a - b) / (1 - b), with the
/// mean cosine a over edges and b over pairs of nodes, of a few thousand drawn at random each.
struct FeatureLikeness {
    double value = 0;
    double error = 0;  ///< its standard error

    /// Whether features say anything about the graph, and so perhaps about what its edges are drawn by.
    bool is_there() const;
};

FeatureLikeness feature_likeness(const PreparedGraph& graph);

}  // namespace hwgcn
