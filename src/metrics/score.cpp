#include "hwgcn/metrics/score.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace hwgcn {

const std::vector<ScoreInfo>& all_scores() {
    static const std::vector<ScoreInfo> table = {
        {Score::accuracy, "accuracy", "accuracy", "accuracy", &Metrics::accuracy},
        {Score::macro_f1, "macro_f1", "macro-f1", "macro-F1", &Metrics::macro_f1},
        {Score::roc_auc, "roc_auc", "auc", "ROC AUC", &Metrics::roc_auc},
        {Score::average_precision, "average_precision", "average-precision", "average precision",
         &Metrics::average_precision},
        {Score::balanced_accuracy, "balanced_accuracy", "balanced", "balanced accuracy",
         &Metrics::balanced_accuracy},
        {Score::mcc, "mcc", "mcc", "MCC", &Metrics::mcc},
    };
    return table;
}

const ScoreInfo& score_info(Score score) {
    return all_scores()[static_cast<std::size_t>(score)];
}

bool shows_ranking(std::span<const Index> labels_of_class) {
    if (labels_of_class.size() == 2) return true;
    const auto all = std::accumulate(labels_of_class.begin(), labels_of_class.end(), std::int64_t{0});
    const auto classes = static_cast<std::int64_t>(labels_of_class.size());
    return std::ranges::any_of(labels_of_class,
                               [&](Index labels) { return labels > 0 && 4 * classes * labels < all; });
}

}  // namespace hwgcn
