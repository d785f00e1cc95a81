#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/methods/prepared_graph.hpp"
#include "hwgcn/models/trainable_matrix.hpp"

namespace hwgcn {

/// Features that belong together: those of one column of a table.
struct FeatureColumn {
    std::string name;
    std::vector<Index> features;
};

/// The columns that the features were made from: the categories "city=Rome", "city=Oslo" are one column, and
/// so are a number and its mark of missing values.
std::vector<FeatureColumn> feature_columns(const PreparedGraph& graph);

/// The places of `columns`, those that move a method most first: by the spread of their features times the
/// weights that multiply these, where the method has such.
std::vector<std::size_t> by_weight(const PreparedGraph& graph, const std::vector<FeatureColumn>& columns,
                                   std::span<const TrainableMatrix> parameters);

/// One column of the features, ready to be permuted.
class ColumnPermutation {
  public:
    /// `features` must outlive it.
    ColumnPermutation(const CsrMatrix<float>& features, const FeatureColumn& column);

    /// Some rows of the features, where node i has the column of node `origin[i]`.
    CsrMatrix<float> rows(const std::vector<Index>& nodes, const std::vector<Index>& origin) const;

  private:
    void append_rest(Index node, CsrMatrix<float>& result, std::size_t& next, Index before) const;

    const CsrMatrix<float>& features_;
    std::vector<char> inside_;  ///< per feature
    CsrMatrix<float> column_;   ///< the entries of the column alone
};

}  // namespace hwgcn
