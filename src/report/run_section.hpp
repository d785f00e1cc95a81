#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report_page.hpp"

namespace hwgcn {

/// What the page says of a run, but for the explorer. `probabilities` have the temperature.
nlohmann::ordered_json run_json(const RunForReport& run, ConstMatrixView probabilities,
                                const ExecutionControl& control);

}  // namespace hwgcn
