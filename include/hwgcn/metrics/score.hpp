#pragma once

#include <span>
#include <string>
#include <vector>

#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

/// What methods can be compared by; more is better.
enum class Score { accuracy, macro_f1, roc_auc, average_precision, balanced_accuracy, mcc };

struct ScoreInfo {
    Score score;
    std::string key;     ///< in JSON and Python: "roc_auc"
    std::string option;  ///< on the command line: "auc"
    std::string title;   ///< "ROC AUC"
    double Metrics::*value;
};

/// In the order of the enumeration.
const std::vector<ScoreInfo>& all_scores();

const ScoreInfo& score_info(Score score);

/// Whether a table should have ROC AUC and balanced accuracy, because accuracy alone says too little: there
/// are two classes, or one has less than a quarter of its equal share of the labels. `labels_of_class` has
/// the labels of each class; classes without any do not count as rare.
bool shows_ranking(std::span<const Index> labels_of_class);

}  // namespace hwgcn
