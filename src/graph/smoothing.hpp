#pragma once

#include <vector>

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// A sparse vector in double precision, columns ascending.
struct SparseVector {
    std::vector<Index> columns;
    std::vector<double> values;
    double mass = 1;  ///< of smoothed features: the sum (S 1)_i of the factors that they were added up with
};

/// Computes t_i = (S X)_i with S = D^-1/2 (A + I) D^-1/2, D the row sums of A + I, row by row.
/// Holds the scratch memory (one number per feature), so keep one per thread.
class RowSmoother {
  public:
    RowSmoother(const Graph& graph, const CsrMatrix<float>& features);

    /// The smoothed features of `node`; valid until the next call.
    const SparseVector& smooth(Index node);

  private:
    void add_row(Index node, double factor);

    const Graph* graph_;
    const CsrMatrix<float>* features_;
    std::vector<double> sum_;  // dense accumulator, all zero between calls
    SparseVector result_;
};

}  // namespace hwgcn
