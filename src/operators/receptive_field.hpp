#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

#include "operators/propagation.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

/// Some rows of a sparse matrix, complete, in ascending order.
struct RowSlice {
    std::shared_ptr<const CsrMatrix<float>> matrix;
    /// Per row of the slice: where its entries begin in the whole matrix. Random numbers are drawn per entry
    /// of the whole, so that a slice gives the same bits as the whole.
    std::vector<std::int64_t> origin;
};

class ForeignRows;

/// One multiplication with the operator, from the nodes `inputs` to the nodes `outputs`, a subset of them.
/// Rows and columns are numbered within these two lists. Of several operators side by side, each output has
/// `blocks` rows, see Propagation.
struct Step {
    RowSlice forward;                                    ///< (outputs * blocks) x inputs
    std::shared_ptr<const CsrMatrix<float>> transposed;  ///< inputs x (outputs * blocks)
    std::shared_ptr<const std::vector<Index>> inputs;    ///< node numbers, ascending
    std::shared_ptr<const std::vector<Index>> outputs;   ///< node numbers, ascending
    std::vector<Index> position;                         ///< of each output among the inputs
    Index blocks = 1;                                    ///< of the operator
    /// Where rows are elsewhere, the nodes are those that are here; `forward` has further columns for inputs
    /// elsewhere, and `transposed` for outputs.
    std::shared_ptr<const ForeignRows> foreign_inputs = {};
    std::shared_ptr<const ForeignRows> foreign_outputs = {};
};

struct NodeGroups;

/// All that is needed to compute a network at some nodes, and nothing else: the rows of the operator for each
/// of its multiplications, first one first, and the rows of the features.
struct ReceptiveField {
    std::vector<Step> steps;
    RowSlice features;                                  ///< of `inputs`
    std::shared_ptr<const std::vector<Index>> inputs;   ///< the nodes that the first step starts from
    std::shared_ptr<const std::vector<Index>> outputs;  ///< ascending
    std::int64_t feature_entries = 0;                   ///< of the whole features
    std::int64_t operator_entries = 0;                  ///< of the whole operator
    Index nodes = 0;                                    ///< of the whole graph
    /// Where nodes fall into blocks: sums over nodes and dropout go block by block. `features.origin` then
    /// counts from the word at which the mask of a block begins, see `entry_words`.
    std::shared_ptr<const RowLayout> layout = {};
    std::vector<std::uint64_t> entry_words = {};  ///< of the features, per block here, and the end
    /// In training, for networks that read propagated features (operators/propagated_features.hpp).
    std::shared_ptr<const NodeGroups> groups = {};
    /// The propagated features of its outputs, where evaluation in each epoch takes less with them than with
    /// the steps (methods/network.hpp).
    std::shared_ptr<const DenseMatrix> propagated = {};
};

/// The field of `outputs` (in any order, without repetitions) under `steps` multiplications. Steps between
/// the same nodes share their matrices; where all nodes take part, they are the operator's own. Where rows
/// are elsewhere, outputs are nodes here, as the rows of features and operator are.
ReceptiveField receptive_field(const Propagation& propagation,
                               std::shared_ptr<const CsrMatrix<float>> features,
                               std::span<const Index> outputs, int steps);

/// The field of all nodes that are here.
ReceptiveField whole_field(const Propagation& propagation, std::shared_ptr<const CsrMatrix<float>> features,
                           int steps);

}  // namespace hwgcn
