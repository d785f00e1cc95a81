#pragma once

#include <vector>

#include "hwgcn/models/methods.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<ChoiceLimits>>& choice_parameters();

}  // namespace hwgcn
