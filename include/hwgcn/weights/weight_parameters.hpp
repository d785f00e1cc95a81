#pragma once

#include <vector>

#include "hwgcn/base/parameter.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

const std::vector<Parameter<WeightOptions>>& weight_parameters();

}  // namespace hwgcn
