#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report_page.hpp"

namespace hwgcn {

/// What the held-out nodes lose without each column of the features, or {"missing": why there is nothing}.
nlohmann::ordered_json importances_section(const RunForReport& run);

/// What the features were made into: a sentence, and what became of the columns of a node table.
nlohmann::ordered_json features_json(const RunForReport& run);

/// The predictions of nodes without a label, the least sure ones first, up to `most` of them.
nlohmann::ordered_json unlabelled_json(const RunForReport& run, ConstMatrixView probabilities,
                                       std::size_t most);

}  // namespace hwgcn
