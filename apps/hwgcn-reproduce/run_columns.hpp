#pragma once

#include <string>

#include "hwgcn/evaluation/evaluate.hpp"

namespace hwgcn::experiments {

// The columns that tables have on the runs of a method. A dash stands for what is not known.

/// "100", or "37 of 100".
std::string runs_text(int runs, int asked);

/// "84.31 ± 0.54", without the deviation of a single run.
std::string accuracy_text(const SampleSummary& accuracy);

/// Of a run (usual_seconds).
std::string seconds_text(const MethodResult& result);

/// In MB (least_peak_mb).
std::string memory_text(const MethodResult& result);

/// What the two above are, for the text above a table.
std::string cost_columns_text();

}  // namespace hwgcn::experiments
