#pragma once

#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "distributed/peers/partition.hpp"

namespace hwgcn {

/// The nodes of a split, of all processes, as a small dataset of their own: results are measured on it by one
/// process, however large the graph is.
class SplitRows {
  public:
    SplitRows(const Partition& partition, const Split& split);

    /// The rows of these nodes, ascending, at the first process; nothing elsewhere. `own` has the rows of a
    /// process's own nodes. Collective.
    DenseMatrix gather(ConstMatrixView own) const;

    /// Labels and class names, in the same order.
    Dataset dataset(const Dataset& whole) const;

    /// The split in the numbers of this dataset.
    Split split(const Split& whole) const;

  private:
    const Partition& partition_;
    std::vector<Index> nodes_;  // ascending
};

}  // namespace hwgcn
