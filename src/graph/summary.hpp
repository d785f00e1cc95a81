#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/graph/graph.hpp"

#include "graph/rings.hpp"

namespace hwgcn {

struct GraphSummary {
    Index components = 0;
    Index largest_component = 0;
    Index isolated = 0;  ///< nodes without a neighbor other than themselves
    Index largest_degree = 0;
    double mean_degree = 0;
    std::int64_t labelled_edges = 0;  ///< edges with both ends labelled
    double homophily = 0;  ///< share of those, by weight, whose ends have the same label; NaN: there are none
};
GraphSummary summarize_graph(const Graph& graph, std::span<const Index> labels,
                             const ExecutionControl& control = {});

/// How much of what the features say is the same for all nodes: |mean row|^2 / mean |row|^2 over the rows
/// that are not zero, 1 where all of them are alike. 0 where there are no two such rows, and for one-hot rows
/// (a single entry each, not all in one column), which nothing has levelled. `features` are normalised rows.
double common_share(const CsrMatrix<float>& features);

/// Above this share the rows hardly tell the nodes apart. Words of papers and products stay below 0.25,
/// signed or dense numbers that were scaled to 0..1 and divided by their sum lie above 0.75.
inline constexpr double nearly_constant_share = 0.7;

/// Sizes of the neighborhoods of one order, over the searched nodes.
struct RingSummary {
    int order = 0;
    std::int64_t pairs = 0;    ///< ordered pairs (node, member); scaled up when sampled
    std::int64_t largest = 0;  ///< largest ring seen
    Index non_empty = 0;       ///< nodes with at least one member; scaled up when sampled
};

struct RingSummaryOptions {
    int max_order = 2;
    Neighborhood neighborhood = Neighborhood::distance;
    Index sample = 0;  ///< 0: search from every node; otherwise from this many, evenly spaced
};

/// `count` nodes spread evenly over 0..nodes-1; all of them when count is 0 or not smaller than `nodes`.
std::vector<Index> evenly_spaced_nodes(Index nodes, Index count);

/// Ring sizes for the orders 1..max_order.
std::vector<RingSummary> summarize_rings(const Graph& graph, const RingSummaryOptions& options,
                                         const ExecutionControl& control);

}  // namespace hwgcn
