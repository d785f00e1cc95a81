#pragma once

#include <string>
#include <vector>

#include "experiment.hpp"

namespace hwgcn::experiments {

/// Methods by datasets, for each of the settings, and the paper's numbers, with what HWGCN gains over GCN
/// on the same splits.
Outcome accuracy_table(ExperimentRunner& runner, const Plan& plan, const std::vector<std::string>& known,
                       const std::string& figure_name);

}  // namespace hwgcn::experiments
