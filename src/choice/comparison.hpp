#pragma once

#include <span>
#include <vector>

#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "training/fit_options.hpp"

namespace hwgcn {

/// How two sets of predictions are judged.
struct Judge {
    Selection selection = Selection::accuracy;
    Decision decision = {};
};

/// By how much one is better than the other, and the standard error of that, paired by node.
struct Difference {
    double mean = 0;
    double error = 0;
};

/// Rows of `a` and `b` are predictions of the same nodes with these labels. The error of the accuracy is that
/// of a mean; that of any other criterion comes from leaving out each of twenty groups of nodes in turn (the
/// jackknife).
Difference compare(ConstMatrixView a, ConstMatrixView b, std::span<const Index> labels, const Judge& judge,
                   const ExecutionControl& control = {});

/// What the criterion says of predictions, more is better.
double judged_value(ConstMatrixView probabilities, std::span<const Index> labels, std::span<const Index> rows,
                    const Judge& judge, const ExecutionControl& control = {});

}  // namespace hwgcn
