#pragma once

#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

/// How many classes training accepts: it holds numbers for nodes x classes and for classes x classes.
struct TargetLimits {
    int max_classes = 0;  ///< 0: `usual_most_classes`, and no labels that look like measured numbers
};
inline constexpr int usual_most_classes = 1000;

const std::vector<Parameter<TargetLimits>>& target_parameters();

/// Why the labels of a dataset are no classes to train on, and what to do; "" where they are.
std::string objection_to_target(const Dataset& dataset, const TargetLimits& limits);

/// Throws InputError with the objection where there is one.
void check_target(const Dataset& dataset, const TargetLimits& limits);

/// What training and its baselines hold at once for each node and class and for each pair of classes.
double target_megabytes(Index nodes, Index classes);

}  // namespace hwgcn
