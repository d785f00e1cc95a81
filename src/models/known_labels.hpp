#pragma once

#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

namespace hwgcn {

/// The labels of training and validation nodes; all other nodes are `unlabelled`.
std::vector<Index> known_labels(const Dataset& dataset, const Split& split);

/// How many of them each class has.
std::vector<Index> known_labels_by_class(const Dataset& dataset, const Split& split);

/// What the labels of some nodes count in a loss: its own weight times that of its class each, 1 on average.
/// Nothing where neither has weights.
std::vector<double> weights_of_labels(const std::vector<Index>& nodes, const std::vector<Index>& labels,
                                      const std::vector<double>& class_weights,
                                      const std::vector<float>& own);

}  // namespace hwgcn
