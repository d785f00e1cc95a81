#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

struct Dataset;
enum class FeatureKind : std::uint8_t;

/// What a column of a node table is for.
enum class ColumnRole : std::uint8_t {
    id,
    label,
    feature,
    left_out,  ///< its cells name nodes rather than describe them
    ignored,   ///< as the caller wants it
};

/// What the cells of a column are.
enum class ColumnKind : std::uint8_t {
    text,      ///< not interpreted: ids and names
    number,    ///< a feature
    category,  ///< a feature for each category
    range,     ///< numbers of which each range is a class
};

/// A column of a table, and the features that were made from it.
struct TableColumn {
    std::string name;
    ColumnRole role = ColumnRole::feature;
    ColumnKind kind = ColumnKind::text;
    std::int64_t different = 0;  ///< classes of a label; what is different in a column that is left out
    std::int64_t filled = 0;     ///< cells of a feature
    std::int64_t empty = 0;
    float least = 0;  ///< of the numbers
    float largest = 0;
    std::vector<std::string> categories = {};  ///< of a feature
    Index first_feature = 0;
    bool logarithms = false;  ///< stand for the numbers
};

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
