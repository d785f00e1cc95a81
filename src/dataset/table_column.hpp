#pragma once

#include <span>
#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"

namespace hwgcn {

/// How many features were made from a column.
Index feature_count(const TableColumn& column);

/// Adds the names of its features: "age", or "city=Rome" and "city=Oslo".
void add_feature_names(const TableColumn& column, std::vector<std::string>& names);

/// The columns of categories that features of these names and kinds were made from: for formats that store
/// nothing else of a column.
std::vector<TableColumn> category_columns(const std::vector<std::string>& names,
                                          const std::vector<FeatureKind>& kinds);

/// The columns of the node table; none where the data did not come with one.
std::span<const TableColumn> node_table_columns(const Dataset& dataset);

/// Whether a feature is the same for all nodes.
bool is_constant(const TableColumn& column);

/// What became of a column, for people: "2 categories", "numbers from 20 to 45".
std::string describe(const TableColumn& column);

}  // namespace hwgcn
