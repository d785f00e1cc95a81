#pragma once

#include <vector>

#include "hwgcn/base/parameter.hpp"
#include "hwgcn/dataset/synthetic.hpp"

namespace hwgcn {

const std::vector<Parameter<SyntheticOptions>>& synthetic_parameters();

}  // namespace hwgcn
