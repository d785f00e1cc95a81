#include "dataset/table_column.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/dataset/dataset.hpp"

namespace hwgcn {
namespace {

constexpr char before_category = '=';

std::string describe_feature(const TableColumn& column) {
    const std::string gaps = column.empty > 0 ? fmt::format(", {} empty", column.empty) : "";
    if (column.kind == ColumnKind::category) {
        const std::size_t count = column.categories.size();
        return fmt::format("{} {}{}", count, count == 1 ? "category" : "categories", gaps);
    }
    if (column.filled == 0) return "empty";
    if (column.least == column.largest) return fmt::format("always {}{}", column.least, gaps);
    return fmt::format("numbers from {} to {}{}{}", column.least, column.largest, gaps,
                       column.logarithms ? ", as logarithms" : "");
}

std::string describe_labels(const TableColumn& column) {
    const bool one = column.different == 1;
    const char* const what = column.kind == ColumnKind::range
                                 ? (one ? "range of numbers" : "ranges of numbers")
                                 : (one ? "class" : "classes");
    return fmt::format("the labels: {} {}", column.different, what);
}

}  // namespace

Index feature_count(const TableColumn& column) {
    if (column.role != ColumnRole::feature) return 0;
    return column.kind == ColumnKind::number ? 1 : static_cast<Index>(column.categories.size());
}

void add_feature_names(const TableColumn& column, std::vector<std::string>& names) {
    if (column.role != ColumnRole::feature) return;
    if (column.kind == ColumnKind::number) names.push_back(column.name);
    for (const std::string& category : column.categories)
        names.push_back(column.name + before_category + category);
}

std::vector<TableColumn> category_columns(const std::vector<std::string>& names,
                                          const std::vector<FeatureKind>& kinds) {
    std::vector<TableColumn> columns;
    for (std::size_t f = 0; f < std::min(names.size(), kinds.size()); ++f) {
        const std::size_t end = names[f].find(before_category);
        if (kinds[f] != FeatureKind::category || end == std::string::npos) continue;
        const std::string name = names[f].substr(0, end);
        const auto feature = static_cast<Index>(f);
        const bool goes_on = !columns.empty() && columns.back().name == name &&
                             columns.back().first_feature + feature_count(columns.back()) == feature;
        if (!goes_on)
            columns.push_back({.name = name, .kind = ColumnKind::category, .first_feature = feature});
        columns.back().categories.push_back(names[f].substr(end + 1));
    }
    return columns;
}

// A node table has ids.
std::span<const TableColumn> node_table_columns(const Dataset& dataset) {
    if (std::ranges::find(dataset.columns, ColumnRole::id, &TableColumn::role) == dataset.columns.end())
        return {};
    return dataset.columns;
}

bool is_constant(const TableColumn& column) {
    if (column.role != ColumnRole::feature) return false;
    if (column.kind == ColumnKind::category) return column.categories.size() == 1 && column.empty == 0;
    return column.filled == 0 || (column.least == column.largest && column.empty == 0);
}

std::string describe(const TableColumn& column) {
    switch (column.role) {
        case ColumnRole::id:
            return "the ids";
        case ColumnRole::label:
            return describe_labels(column);
        case ColumnRole::left_out:
            return fmt::format("left out: {} different {}", column.different,
                               column.kind == ColumnKind::text ? "texts" : "ids");
        case ColumnRole::ignored:
            return "ignored";
        case ColumnRole::feature:
            break;
    }
    return describe_feature(column);
}

}  // namespace hwgcn
