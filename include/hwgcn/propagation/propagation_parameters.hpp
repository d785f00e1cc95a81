#pragma once

#include <vector>

#include "hwgcn/propagation/propagation.hpp"
#include "hwgcn/support/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<PropagationOptions>>& propagation_parameters();

}  // namespace hwgcn
