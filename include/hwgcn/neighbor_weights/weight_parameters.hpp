#pragma once

#include <vector>

#include "hwgcn/neighbor_weights/learn_weights.hpp"
#include "hwgcn/support/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<WeightOptions>>& weight_parameters();

}  // namespace hwgcn
