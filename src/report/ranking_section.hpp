#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report_page.hpp"

namespace hwgcn {

/// How well the probabilities rank the judged nodes, with the curves that `metrics` has. "shown" says whether
/// the summary should have these numbers, too.
nlohmann::ordered_json ranking_json(const RunForReport& run, const Metrics& metrics);

}  // namespace hwgcn
