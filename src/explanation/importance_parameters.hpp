#pragma once

#include <vector>

#include "hwgcn/explanation/feature_importance.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

const std::vector<Parameter<ImportanceOptions>>& importance_parameters();

}  // namespace hwgcn
