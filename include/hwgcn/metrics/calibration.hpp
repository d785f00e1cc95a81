#pragma once

#include <span>

#include "hwgcn/linalg/dense_matrix.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

/// The temperature T for which softmax(log p / T) fits the labels of `nodes` best (Guo et al. 2017): above 1
/// where the predictions are too sure of themselves, below 1 where they are too timid. `probabilities` and
/// `labels` have a row for every node. log T has a normal prior around 0, which a handful of nodes does not
/// outvote; without nodes T is 1.
double fit_temperature(ConstMatrixView probabilities, std::span<const Index> labels,
                       std::span<const Index> nodes, const ExecutionControl& control = {});

/// Of two classes: temperature and offset of the log-odds of the second one.
struct Scaling {
    double temperature = 1;
    double offset = 0;
};
inline constexpr double largest_offset = 10;

/// The two for which sigmoid(log-odds / T + offset) fits the labels of `nodes` best (Platt 1999), for
/// probabilities that rank nodes but need not know how many of them are of which class. Both have a normal
/// prior. Where the nodes are all of one class the offset is 0.
Scaling fit_scaling(ConstMatrixView probabilities, std::span<const Index> labels,
                    std::span<const Index> nodes, const ExecutionControl& control = {});

/// Replaces every row p by softmax(log p / T), where no class counts as less than a thousandth of its equal
/// share. The most probable class stays.
void apply_temperature(MatrixView probabilities, double temperature, const ExecutionControl& control = {});

}  // namespace hwgcn
