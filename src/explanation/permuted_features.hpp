#pragma once

#include <vector>

#include "models/feature_columns.hpp"

namespace hwgcn {

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
