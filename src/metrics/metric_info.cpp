#include <algorithm>

#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

const std::vector<MetricInfo>& all_metrics() {
    static const std::vector<MetricInfo> table = {
        // member, key, title, option, whether more is better, whether in percent, the least
        {&Metrics::accuracy, "accuracy", "accuracy", "accuracy"},
        {&Metrics::macro_f1, "macro_f1", "macro-F1", "macro-f1"},
        {&Metrics::nll, "nll", "log loss", "", false, false},
        {&Metrics::ece, "ece", "calibration error", "", false},
        {&Metrics::roc_auc, "roc_auc", "ROC AUC", "auc"},
        {&Metrics::average_precision, "average_precision", "average precision", "average-precision"},
        {&Metrics::balanced_accuracy, "balanced_accuracy", "balanced accuracy", "balanced"},
        {&Metrics::mcc, "mcc", "MCC", "mcc", true, true, -1},
    };
    return table;
}

const MetricInfo& metric_info(Metric metric) {
    return *std::ranges::find(all_metrics(), metric, &MetricInfo::metric);
}

Metrics numbers_of(const Metrics& metrics) {
    Metrics numbers;
    numbers.count = metrics.count;
    for (const MetricInfo& info : all_metrics())
        numbers.*info.metric = metrics.*info.metric;
    return numbers;
}

}  // namespace hwgcn
