#pragma once

#include "distributed/peers/partition.hpp"
#include "operators/propagation.hpp"
#include "operators/receptive_field.hpp"

namespace hwgcn {

/// A step of a field on several processes, each of which gives outputs of its own, ascending: what one needs
/// of another's nodes, that one computes in the step before. Collective.
Step shared_step(const Partition& partition, const std::shared_ptr<const std::vector<Index>>& outputs,
                 const Propagation& propagation);

}  // namespace hwgcn
