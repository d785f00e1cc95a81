#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

#include "methods/classic_method.hpp"

namespace hwgcn {

/// Which statistics of neighbors become columns.
enum class NeighborColumns {
    chosen,  ///< all, or fewer where features are many
    all,     ///< mean, deviation, minimum, maximum, mean over two hops
    means,
    none,
};

/// The columns of a table over the nodes of a graph. Of d features, and of every relation that a node has
/// neighbors by (the edges; of a directed graph those that lead to it and those from it; learned rings):
///
///   x | of every relation: mean, deviation, minimum, maximum and mean over two hops of x | of every
///   relation: how many neighbors, and the sum of their weights
///
/// Means and deviations are weighted as the edges are. What a node without neighbors does not have is NaN.
struct TableLayout {
    Index features = 0;
    Index relations = 1;
    NeighborColumns kept = NeighborColumns::all;  ///< never `chosen`

    Index statistics() const;    ///< of a feature in a relation
    std::int64_t width() const;  ///< the number of columns, even where they are too many
    Index columns() const { return static_cast<Index>(width()); }
    bool has_two_hops() const { return kept == NeighborColumns::all; }
};

/// Wider tables are refused.
inline constexpr Index most_table_columns = 8192;

/// The layout for these features.
TableLayout chosen_layout(Index features, Index relations, NeighborColumns wanted);

/// The same. Throws InputError where it has too many columns.
TableLayout table_layout(Index features, Index relations, NeighborColumns wanted);

/// Makes rows of the table. The graph must outlive it.
class NeighborTable {
  public:
    NeighborTable(const ClassicGraph& graph, const TableLayout& layout, const ExecutionControl& control);

    const TableLayout& layout() const { return layout_; }

    /// The row of a node: so many numbers as there are columns.
    void fill(Index node, std::span<float> row) const;

    /// Where a number of a column comes from: nodes and features, with shares that add up to 1. Of a mean the
    /// neighbors have shares as w |x|, of a deviation as w (x - mean)^2; minimum and maximum are of the first
    /// neighbor that has them.
    struct Source {
        Index node = 0;
        Index feature = TracedTerm::of_the_graph;
        double share = 1;
    };
    std::vector<Source> sources(Index node, Index column) const;

  private:
    SparseRow<float> neighbors(Index node, Index relation) const {
        return graph_.weights.row(node * graph_.blocks + relation + 1);
    }
    void fill_statistics(Index node, Index relation, std::span<float> row) const;
    void fill_two_hops(Index node, Index relation, std::span<float> out) const;
    std::vector<Source> sources_over_two_hops(Index node, Index relation, Index feature) const;

    const ClassicGraph graph_;
    TableLayout layout_;
    std::vector<DenseMatrix> means_;  // of every relation, for two hops; NaN in rows without neighbors
};

}  // namespace hwgcn
