#pragma once

#include <span>

#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

/// Fills in how well the probabilities rank the nodes: roc_auc, average_precision, positive and curves. The
/// nodes have been found to be judgeable. `positive` as in MetricsOptions.
void rank_classes(Metrics& metrics, ConstMatrixView probabilities, std::span<const Index> labels,
                  std::span<const Index> nodes, Index positive, const ExecutionControl& control);

}  // namespace hwgcn
