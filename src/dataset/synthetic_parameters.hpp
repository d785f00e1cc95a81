#pragma once

#include <vector>

#include "hwgcn/dataset/synthetic.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<SyntheticOptions>>& synthetic_parameters();

}  // namespace hwgcn
