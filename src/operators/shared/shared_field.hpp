#pragma once

#include "hwgcn/operators/receptive_field.hpp"

namespace hwgcn {

/// The steps of a field on several processes, each of which gives outputs of its own, ascending: what one
/// needs of another's nodes, that one computes in the step before. Collective.
std::vector<Step> shared_steps(const std::shared_ptr<const std::vector<Index>>& outputs,
                               const Propagation& propagation, int count);

}  // namespace hwgcn
