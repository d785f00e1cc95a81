#pragma once

#include <span>
#include <vector>

#include "hwgcn/linalg/dense_matrix.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

/// How one class was met.
struct ClassMetrics {
    Index support = 0;  ///< nodes of the class among those judged
    double precision = 0;
    double recall = 0;
    double f1 = 0;
};

/// One bar of a reliability diagram: predictions with a confidence in (lower, upper].
struct ReliabilityBin {
    double lower = 0;
    double upper = 0;
    Index count = 0;
    double mean_confidence = 0;
    double accuracy = 0;
};

/// Predictions judged at some nodes. Shares, not percent.
struct Metrics {
    Index count = 0;
    double accuracy = 0;
    double macro_f1 = 0;  ///< mean of the classes' F1 over the classes that occur among labels or predictions
    double nll = 0;       ///< mean of -log p(label); finite: p is at least the smallest positive float
    double ece = 0;       ///< expected calibration error over the bins below
    std::vector<ClassMetrics> classes;
    std::vector<std::vector<Index>> confusion;  ///< [label][prediction]
    std::vector<ReliabilityBin> reliability;
};

/// `probabilities` has a row for every node of the graph, `labels` too; judged at `nodes`, all of them
/// labelled (InputError names one that is not, or that has no probabilities). The predicted class is the most
/// probable one, the first of equals. Without nodes, all numbers are zero.
Metrics compute_metrics(ConstMatrixView probabilities, std::span<const Index> labels,
                        std::span<const Index> nodes, int reliability_bins = 15);

/// The same, and throws Interrupted where a stop is wanted: many nodes and classes take a while.
Metrics compute_metrics(ConstMatrixView probabilities, std::span<const Index> labels,
                        std::span<const Index> nodes, const ExecutionControl& control,
                        int reliability_bins = 15);

}  // namespace hwgcn
