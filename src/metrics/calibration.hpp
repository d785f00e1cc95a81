#pragma once

#include <span>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

inline constexpr double largest_offset = 10;

/// The calibration that fits the labels of `nodes` best, by log loss. `probabilities` and `labels` have a row
/// for every node. log T has a normal prior, so that few nodes do not decide alone: its centre is the
/// temperature at which the mean confidence is 55 %. An offset is fitted on request, of two classes that both
/// occur. Without nodes nothing changes.
Calibration fit_calibration(ConstMatrixView probabilities, std::span<const Index> labels,
                            std::span<const Index> nodes, const ExecutionControl& control = {},
                            bool with_offset = false);

/// Temperature, offset and smoothing, in this order.
void apply_calibration(MatrixView probabilities, const Calibration& calibration,
                       const ExecutionControl& control = {});

/// Replaces every row p by softmax(log p / T), where no class counts as less than a thousandth of its equal
/// share. The most probable class stays.
void apply_temperature(MatrixView probabilities, double temperature, const ExecutionControl& control = {});

/// Of two classes: adds `offset` to the log-odds of the second. Nothing happens where it is 0.
void shift_log_odds(MatrixView probabilities, double offset, const ExecutionControl& control = {});

/// Replaces every row p by (1 - smoothing) p + smoothing / classes. The most probable class stays.
void smooth(MatrixView probabilities, double smoothing, const ExecutionControl& control = {});

}  // namespace hwgcn
