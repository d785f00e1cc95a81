#pragma once

#include <string>
#include <vector>

#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

/// One of the numbers of `Metrics`: &Metrics::roc_auc.
using Metric = double Metrics::*;

/// All that files, tables and options know of a metric.
struct MetricInfo {
    Metric metric;
    std::string key;             ///< in JSON and Python: "roc_auc"
    std::string title;           ///< "ROC AUC"
    std::string option;          ///< on the command line: "auc"; empty where less is better
    bool more_is_better = true;  ///< methods can be compared by it
    bool in_percent = true;      ///< is shown so, as a share
    double least = 0;            ///< that it can be; a share is 1 at most

    double unit() const { return in_percent ? 100.0 : 1.0; }
    double shown(const Metrics& metrics) const { return unit() * metrics.*metric; }
};

/// In the order in which they are written.
const std::vector<MetricInfo>& all_metrics();

const MetricInfo& metric_info(Metric metric);

/// What every file knows of metrics: their numbers, without classes, confusion, reliability and curves.
Metrics numbers_of(const Metrics& metrics);

}  // namespace hwgcn
