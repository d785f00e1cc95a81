#pragma once

#include <memory>

#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/peers/partition.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// `build_propagation` on several processes: `adjacency` are the rows of A for the nodes of this process,
/// loops included, and the matrices of `weights` have just these rows; columns are numbers of the whole
/// graph. The rows of P have the bits of the whole. Collective.
Propagation build_shared_propagation(const std::shared_ptr<const Partition>& partition,
                                     const CsrMatrix<float>& adjacency, const LearnedWeights& weights = {},
                                     const PropagationOptions& options = {});

/// The same for `weighted_graph`.
Propagation shared_weighted_graph(const std::shared_ptr<const Partition>& partition,
                                  const CsrMatrix<float>& adjacency, const LearnedWeights& weights = {});

}  // namespace hwgcn
