#pragma once

#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"

#include "dataset/column_statistics.hpp"

namespace hwgcn {

/// What the columns of the features are, and how they are therefore scaled.
struct FeatureKinds {
    Scale scale = Scale::rows;  ///< never `automatic`
    std::vector<FeatureKind> kinds;
    std::vector<ColumnStatistics> columns;
    std::vector<char> may_be_logarithms;  ///< per column: numbers for which their logarithms may stand
    std::string reason;                   ///< why some are numbers: "'age' has negative values"
};

/// Decides by the numbers where neither the reader nor `dataset.scale` says it.
FeatureKinds decide_kinds(const Dataset& dataset);

/// The same by the statistics of the columns; the features themselves are not looked at.
FeatureKinds decide_kinds(const Dataset& dataset, std::vector<ColumnStatistics> columns);

/// In a few words: "128 numbers standardised (2 as logarithms), 3 categories 0 or 1".
std::string describe(const FeatureKinds& kinds, std::int64_t logarithms = 0);

/// What was decided, why, and which setting decides otherwise; "" for words and categories alone.
/// `logarithms` has the names of columns for which these stand.
std::string explain(const FeatureKinds& kinds, const std::vector<std::string>& logarithms = {});

/// Where the scale that was asked for has no place for missing values: that they count as 0; else "".
std::string note_on_gaps(const FeatureKinds& kinds);

}  // namespace hwgcn
