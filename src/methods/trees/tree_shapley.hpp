#pragma once

#include <span>

#include "methods/trees/forest.hpp"

namespace hwgcn {

/// Adds to `values`, one per column, the Shapley values of one tree for a row times `factor`, where columns
/// that are not known send rows down both ways, as many as the tree was grown on there (TreeSHAP; Lundberg et
/// al. 2020). They and `expected_value` add up to what the tree says of the row.
void add_shapley_values(const Forest& forest, std::size_t tree, std::span<const float> row, double factor,
                        std::span<double> values);

/// What a tree says on average of the rows that it was grown on.
double expected_value(const Forest& forest, std::size_t tree);

}  // namespace hwgcn
