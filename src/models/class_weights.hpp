#pragma once

#include <vector>

#include "hwgcn/models/prepared_graph.hpp"

namespace hwgcn {

/// The weights for a split, with the mean 1 over its training nodes; empty where there are none, or all are
/// the same. A class without training nodes has the weight 1 among balanced ones. Throws InputError where the
/// numbers given do not fit.
std::vector<double> class_weights_for(const ClassWeights& weights, const Dataset& dataset,
                                      const Split& split);

}  // namespace hwgcn
