#include "models/feature_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "dataset/table_column.hpp"

namespace hwgcn {
namespace {

// The variance of each feature over the nodes.
std::vector<double> spreads(const CsrMatrix<float>& features) {
    std::vector<double> sums(static_cast<std::size_t>(features.columns), 0.0), squares = sums;
    for (std::int64_t e = 0; e < features.entries(); ++e) {
        const double value = features.values[e];
        sums[features.indices[e]] += value;
        squares[features.indices[e]] += value * value;
    }
    const double rows = std::max<Index>(1, features.rows);
    for (std::size_t f = 0; f < sums.size(); ++f)
        squares[f] = std::max(0.0, squares[f] / rows - sums[f] / rows * (sums[f] / rows));
    return squares;
}

// The squares of what each feature is multiplied by. Matrices for the features have a row for each, and
// perhaps some more for classes and a bias. 1 where there is no such matrix.
std::vector<double> squared_weights(const PreparedGraph& graph, std::span<const TrainableMatrix> parameters) {
    const Index features = graph.features.scaled->columns;
    std::vector<double> result(static_cast<std::size_t>(features), 0.0);
    bool found = false;
    for (const TrainableMatrix& parameter : parameters) {
        const DenseMatrix& value = parameter.value;
        if (value.rows() < features || value.rows() > features + graph.dataset.classes() + 1) continue;
        found = true;
        for (Index f = 0; f < features; ++f) {
            for (Index c = 0; c < value.columns(); ++c)
                result[f] += static_cast<double>(value.at(f, c)) * static_cast<double>(value.at(f, c));
        }
    }
    if (!found) std::ranges::fill(result, 1.0);
    return result;
}

}  // namespace

std::vector<FeatureColumn> feature_columns(const PreparedGraph& graph) {
    const std::vector<ColumnScaling>& scaled = graph.features.scaling.columns;
    const std::vector<std::string>& names = graph.dataset.feature_names;
    const Index given = scaled.empty() ? graph.features.scaled->columns : static_cast<Index>(scaled.size());
    std::vector<const TableColumn*> table(static_cast<std::size_t>(given), nullptr);
    for (const TableColumn& column : graph.dataset.columns)
        std::fill_n(table.begin() + column.first_feature, feature_count(column), &column);
    std::vector<FeatureColumn> columns;
    for (Index f = 0; f < given; ++f) {
        if (table[f] == nullptr || f == table[f]->first_feature) {
            const std::string own = names.empty() ? fmt::format("feature {}", f) : names[f];
            columns.push_back({table[f] == nullptr ? own : table[f]->name, {}});
        }
        columns.back().features.push_back(f);
        if (!scaled.empty() && scaled[f].marker >= 0) columns.back().features.push_back(scaled[f].marker);
    }
    return columns;
}

std::vector<std::size_t> by_weight(const PreparedGraph& graph, const std::vector<FeatureColumn>& columns,
                                   std::span<const TrainableMatrix> parameters) {
    const std::vector<double> spread = spreads(*graph.features.scaled);
    const std::vector<double> weight = squared_weights(graph, parameters);
    std::vector<double> moved(columns.size(), 0.0);
    for (std::size_t k = 0; k < columns.size(); ++k) {
        for (const Index f : columns[k].features)
            moved[k] += spread[f] * weight[f];
    }
    std::vector<std::size_t> order(columns.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t k) { return moved[k]; });
    return order;
}

}  // namespace hwgcn
