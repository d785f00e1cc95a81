#pragma once

#include <optional>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "common_options.hpp"
#include "graph/summary.hpp"
#include "weights/estimate.hpp"

namespace hwgcn::cli {

/// The rings of one order, and how many nodes they were searched from: all, or an even sample.
struct SearchedRings {
    RingSummary summary;
    Index searched_nodes = 0;
};

/// Ring sizes and cost, found within seconds whatever the size of the graph.
struct Preflight {
    std::vector<SearchedRings> rings;      ///< orders 2..K
    bool sampled = false;                  ///< some of them were searched from a sample
    std::optional<CostEstimate> estimate;  ///< nothing where there is nothing to learn
};

/// `features` are normalised rows.
Preflight preflight(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                    const CommandExecution& run);

}  // namespace hwgcn::cli
