#pragma once

#include <vector>

#include "neighbor_weights/ring_learner.hpp"

namespace hwgcn {

/// Learns all rings of one order, in parallel, with as many learners as `control` has threads.
OrderWeights learn_order(const Graph& graph, std::vector<RingLearner>& learners, int order,
                         const ExecutionControl& control);

}  // namespace hwgcn
