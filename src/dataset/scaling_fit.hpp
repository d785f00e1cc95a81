#pragma once

#include <cstdint>
#include <vector>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "dataset/column_statistics.hpp"
#include "dataset/feature_kinds.hpp"

namespace hwgcn {

// The steps of `fit_scaling`, for features of which no process has all rows.

/// What is decided: all but the columns.
FeatureScaling unfitted_scaling(const Dataset& dataset, const FeatureKinds& kinds);

/// A column of numbers, from its stored values in any order. The marker is still to come.
ColumnScaling fit_number_column(std::vector<float> stored, const FeatureKinds& kinds, std::size_t column);

/// Puts columns into place, gives those with missing values their markers and tells of logarithms. Of
/// `dataset` the names of features are looked at.
void place_columns(FeatureScaling& scaling, std::vector<ColumnScaling> columns, const FeatureKinds& kinds,
                   const Dataset& dataset);

/// The root mean square of the norms of the words' rows, each divided by its sum. Rows are added in order.
struct WordNorms {
    double squares = 0;
    std::int64_t rows = 0;

    void add(const CsrMatrix<float>& features, const std::vector<FeatureKind>& kinds);

    /// 1 / that.
    double factor() const;
};

}  // namespace hwgcn
