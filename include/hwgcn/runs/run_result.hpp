#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

/// One training, judged. Shares, not percent.
struct RunResult {
    std::uint64_t seed = 0;  ///< of its split and its parameters
    double test_accuracy = 0;
    double test_macro_f1 = 0;
    double test_nll = 0;
    double test_ece = 0;
    double test_roc_auc = Metrics::not_known;
    double test_average_precision = Metrics::not_known;
    double test_balanced_accuracy = Metrics::not_known;
    double test_mcc = Metrics::not_known;
    bool has_all_scores = true;  ///< false: found in a journal of a version that did not know the last four
    double validation_accuracy = 0;                        ///< at the selected epoch
    double validation_nll = Metrics::not_known;            ///< the same; earlier journals do not have it
    std::optional<double> alternative_test_accuracy = {};  ///< by the other rule of selection; networks only
    int best_epoch = 0;
    int epochs = 0;
    double seconds = 0;                   ///< of wall time, on the threads it had; without the operator
    std::optional<double> peak_mb = {};   ///< of the process so far; earlier journals do not have it
    std::string chosen = {};              ///< what an automatic method chose; empty for others
    std::vector<std::string> notes = {};  ///< of a run that was done now, not found in the journal
};

}  // namespace hwgcn
