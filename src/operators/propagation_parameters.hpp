#pragma once

#include <vector>

#include "base/parameter.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

const std::vector<Parameter<PropagationOptions>>& propagation_parameters();

}  // namespace hwgcn
