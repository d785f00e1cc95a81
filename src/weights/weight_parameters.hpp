#pragma once

#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<WeightOptions>>& weight_parameters();

}  // namespace hwgcn
