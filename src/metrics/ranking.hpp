#pragma once

#include <span>
#include <vector>

#include "hwgcn/metrics/metrics.hpp"

namespace hwgcn {

struct Dataset;
struct Split;

/// The share of the pairs of a positive and a negative whose positive has the higher score, ties as half a
/// pair: the area under the ROC curve. NaN without both kinds. As many scores as marks, none of them NaN
/// (InputError).
double roc_auc(std::span<const float> scores, std::span<const char> positive);

/// The mean over the positives of the precision among all that score at least as high: the area under the
/// precision-recall curve, step by step, without interpolation. NaN without positives.
double average_precision(std::span<const float> scores, std::span<const char> positive);

/// Of two classes the one that fewer of `nodes` have, the second where both have as many: what is looked for,
/// so that average precision is that of this class. -1 where there are not two classes. Nodes without a label
/// do not count.
Index rarer_class(std::span<const Index> labels, std::span<const Index> nodes, Index classes);

/// That of the training and validation nodes: test labels have no say.
Index positive_class(const Dataset& dataset, const Split& split);

}  // namespace hwgcn
