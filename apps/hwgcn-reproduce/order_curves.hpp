#pragma once

#include <string>
#include <vector>

#include "experiment.hpp"

namespace hwgcn::experiments {

/// HWGCN's accuracy with the orders 2..K for growing K, K = 1 being GCN, for each dataset and setting: a
/// table and a figure per setting and dataset.
Outcome order_curves(ExperimentRunner& runner, const Plan& plan, const std::vector<std::string>& known,
                     Neighborhood neighborhood, const std::string& figure_name);

}  // namespace hwgcn::experiments
