#pragma once

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// Throws InputError where the weights of an order are not those of as many nodes as the graph has.
void validate_weights(const Graph& graph, const LearnedWeights& weights);

}  // namespace hwgcn
