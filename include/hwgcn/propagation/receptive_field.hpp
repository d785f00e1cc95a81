#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hwgcn/propagation/propagation.hpp"

namespace hwgcn {

/// Some rows of a sparse matrix, complete, in ascending order.
struct RowSlice {
    std::shared_ptr<const CsrMatrix<float>> matrix;
    /// Per row of the slice: where its entries begin in the whole matrix. Random numbers are drawn per entry
    /// of the whole, so that a slice gives the same bits as the whole.
    std::vector<std::int64_t> origin;
};

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
};

struct NodeGroups;
struct ColumnMoments;

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
    /// For networks that read propagated features (propagation/propagated_features.hpp): in training, and
    /// what they normalise them by.
    std::shared_ptr<const NodeGroups> groups = {};
    std::shared_ptr<const ColumnMoments> moments = {};
};

/// The field of `outputs` (in any order, without repetitions) under `steps` multiplications. Steps between
/// the same nodes share their matrices; where all nodes take part, they are the operator's own.
ReceptiveField receptive_field(const Propagation& propagation,
                               std::shared_ptr<const CsrMatrix<float>> features,
                               std::span<const Index> outputs, int steps);

/// The field of all nodes.
ReceptiveField whole_field(const Propagation& propagation, std::shared_ptr<const CsrMatrix<float>> features,
                           int steps);

}  // namespace hwgcn
