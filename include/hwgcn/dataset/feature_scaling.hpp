#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// How one column of features is scaled: x becomes (min(max(x, least), largest) - centre) * factor, where
/// log(1 + x / unit) may stand for x.
struct ColumnScaling {
    FeatureKind kind = FeatureKind::word;
    float least = 0;
    float largest = 0;
    double centre = 0;
    double factor = 1;
    float typical = 0;  ///< what a missing value is replaced by: the median
    Index marker = -1;  ///< the feature that is 1 where the value is missing; -1: none is missing
    double unit = 0;    ///< positive: logarithms; `least`, `largest` and `centre` are of these
};

/// How the features of a dataset are scaled, fitted to them once. Rows that come later are scaled in the same
/// way.
struct FeatureScaling {
    Scale scale = Scale::rows;           ///< as decided, never `automatic`
    std::vector<ColumnScaling> columns;  ///< empty: every column is treated alike, by `rows` or `none`
    std::vector<FeatureKind> given;      ///< what the reader knew of each column; empty: nothing
    double word_factor = 1;   ///< for the words of a mixed table, after their row is divided by its sum
    Index features = 0;       ///< after scaling: the columns, then their markers
    std::string description;  ///< "128 numbers standardised"; empty: no features
    std::string note;         ///< what was decided and why, where it is worth a word
};

/// The scale of that name: auto (or empty), rows, standard, unit or none. Throws InputError otherwise.
Scale scale_named(std::string_view name);
std::string_view name_of(Scale scale);

/// Decides what the features of a dataset are, unless `dataset.scale` says it, and fits their scaling:
///
/// - Words (non-negative, mostly zero, or 0/1) and categories: each row is divided by its sum.
/// - Numbers: each column is standardised to mean 0 and deviation 1. Values beyond three times the distance
///   of the quartiles count as lying there; a column that does not vary becomes 0; a missing value becomes
///   the median, and a further feature marks it. Where a column of a table goes over three powers of ten or
///   more, log(1 + x / unit) stands for its numbers, unless `dataset.scale` is given.
/// - Both: categories stay 0 or 1; words are divided by the sum of their row and weigh, on average, like one
///   number.
FeatureScaling fit_scaling(const Dataset& dataset);

/// What came with the dataset, or else is fitted to it.
FeatureScaling scaling_of(const Dataset& dataset);

/// What weight learning must know of all rows of scaled features.
struct FeatureFacts {
    bool non_negative = true;
    double largest_norm = 0;  ///< the largest |x_j|
};
FeatureFacts facts_of(const CsrMatrix<float>& features);

/// Features scaled as fitted. Throws InputError where the result would not fit into memory.
CsrMatrix<float> scaled(CsrMatrix<float> features, const FeatureScaling& scaling);

/// Applies the scaling of a dataset to features and their names, which get a "NAME is missing" for each
/// marker.
FeatureScaling scale_features(Dataset& dataset);

}  // namespace hwgcn
