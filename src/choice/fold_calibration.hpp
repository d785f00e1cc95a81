#pragma once

#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How held-out predictions do once they are calibrated, judged by labels that had no say in it: the rows of
/// each fold, `first[f]` to `first[f + 1]`, get the calibration that fits the rows of all other folds best.
Metrics calibrated_by_other_folds(const DenseMatrix& probabilities, const std::vector<Index>& labels,
                                  const std::vector<Index>& first, const ExecutionControl& control,
                                  const Decision& decision = {});

}  // namespace hwgcn
