#pragma once

#include <span>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How the probabilities of a network become those that are shown:
///   p  ->  (1 - smoothing) softmax(log p / temperature) + smoothing / classes,
/// of two classes with the offset added to the log-odds of the second before the smoothing. The temperature
/// (Guo et al. 2017) is above 1 where predictions are too sure of themselves and below 1 where they are too
/// timid; the smoothing keeps them from certainty where some labels are wrong however clear a node looks; the
/// offset (Platt 1999) is for networks that rank nodes but do not know how many are of which class. The most
/// probable class stays unless there is an offset.
struct Calibration {
    double temperature = 1;
    double offset = 0;
    double smoothing = 0;
};
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
