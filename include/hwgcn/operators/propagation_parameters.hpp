#pragma once

#include <vector>

#include "hwgcn/base/parameter.hpp"
#include "hwgcn/operators/propagation.hpp"

namespace hwgcn {

const std::vector<Parameter<PropagationOptions>>& propagation_parameters();

}  // namespace hwgcn
