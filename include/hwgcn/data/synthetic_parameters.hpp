#pragma once

#include <vector>

#include "hwgcn/data/synthetic.hpp"
#include "hwgcn/support/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<SyntheticOptions>>& synthetic_parameters();

}  // namespace hwgcn
