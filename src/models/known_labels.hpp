#pragma once

#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

namespace hwgcn {

/// The labels of training and validation nodes; all other nodes are `unlabelled`.
std::vector<Index> known_labels(const Dataset& dataset, const Split& split);

/// How many of them each class has.
std::vector<Index> known_labels_by_class(const Dataset& dataset, const Split& split);

}  // namespace hwgcn
