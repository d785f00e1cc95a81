#pragma once

#include <span>
#include <string>
#include <vector>

#include "hwgcn/methods/method_info.hpp"
#include "hwgcn/models/prepared_graph.hpp"

namespace hwgcn {

/// Features that belong together: those of one column of a table.
struct FeatureColumn {
    std::string name;
    std::vector<Index> features;
};

/// The columns that the features were made from: the categories "city=Rome", "city=Oslo" are one column, and
/// so are a number and its mark of missing values.
std::vector<FeatureColumn> feature_columns(const PreparedGraph& graph);

/// The places of `columns`, those that move a method most first: by the spread of their features times the
/// weights that multiply these, where the method has such.
std::vector<std::size_t> by_weight(const PreparedGraph& graph, const std::vector<FeatureColumn>& columns,
                                   std::span<const TrainableMatrix> parameters);

}  // namespace hwgcn
