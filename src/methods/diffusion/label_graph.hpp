#pragma once

#include <memory>
#include <span>
#include <vector>

#include "methods/classic_method.hpp"
#include "operators/receptive_field.hpp"
#include "tensor/block_sums.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "tensor/blocks/row_exchange.hpp"
#include "tensor/solvers/conjugate_gradients.hpp"

namespace hwgcn {

/// A graph that labels move along: its weights by rows, in sums over neighbors. Of rows of which some are
/// elsewhere, numbers of neighbors there are fetched before they are added. Nodes are numbered by row.
class LabelGraph {
  public:
    /// All who have rows make it together. The graph must outlive it.
    explicit LabelGraph(const ClassicGraph& graph);
    LabelGraph(const LabelGraph&) = delete;
    LabelGraph& operator=(const LabelGraph&) = delete;
    ~LabelGraph() = default;

    Index nodes() const { return weights_->rows; }
    const CsrMatrix<float>& weights() const { return *weights_; }

    /// Whose rows sums over nodes go over.
    SummedRows rows() const { return {layout_, nodes_}; }
    RowExchange* exchange() const { return exchange_of(layout_); }

    /// Those of some nodes of the whole graph that are here.
    LabelledNodes here(const LabelledNodes& labelled) const;

    /// Which nodes are connected with one of these.
    std::vector<char> reached_from(const std::vector<Index>& nodes) const;

    /// A number per node, followed by those of neighbors elsewhere.
    std::vector<double> with_neighbors(std::vector<double> numbers) const;

    /// out_i = c_i sum_j w_ij c_j x_j, c being `with_neighbors`.
    void add_neighbors(std::span<const double> c, const Columns& x, Columns& out,
                       const ExecutionControl& control) const;

  private:
    const RowLayout* layout_;
    const CsrMatrix<float>* weights_;
    std::vector<Index> nodes_;                    // where they fall into blocks: the nodes of the rows
    std::vector<Index> foreign_;                  // neighbors elsewhere, ascending
    CsrMatrix<float> numbered_;                   // columns are rows here, then foreign ones
    std::unique_ptr<const ForeignRows> fetched_;  // and their numbers
};

}  // namespace hwgcn
