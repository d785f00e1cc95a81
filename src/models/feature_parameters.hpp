#pragma once

#include <vector>

#include "hwgcn/models/prepared_graph.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<FeatureOptions>>& feature_parameters();

}  // namespace hwgcn
