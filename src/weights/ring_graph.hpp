#pragma once

#include <optional>

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// The graph that rings are searched in: `graph` itself, which must outlive it, or its heavy edges.
class RingGraph {
  public:
    /// Throws InputError where `min_weight` leaves no edge.
    RingGraph(const Graph& graph, const WeightOptions& options) : graph_(&graph) {
        if (options.min_weight > 0) heavy_ = heavy_edges(graph, options.min_weight);
    }
    const Graph& graph() const { return heavy_ ? *heavy_ : *graph_; }

  private:
    const Graph* graph_;
    std::optional<Graph> heavy_;
};

}  // namespace hwgcn
