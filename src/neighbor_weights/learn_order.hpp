#pragma once

#include <vector>

#include "neighbor_weights/ring_learner.hpp"

namespace hwgcn {

class KeptRows;

/// Learns all rings of one order, in parallel, with as many learners as `control` has threads. Rows that are
/// kept are not learned again, and others are added to them.
OrderWeights learn_order(const Graph& graph, std::vector<RingLearner>& learners, int order,
                         const ExecutionControl& control, KeptRows* kept = nullptr);

}  // namespace hwgcn
