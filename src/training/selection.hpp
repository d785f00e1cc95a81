#pragma once

#include <span>
#include <string>

#include "hwgcn/metrics/metrics.hpp"

#include "training/fit_options.hpp"

namespace hwgcn {

/// What a criterion says of predictions: more is better. Loss is negative, and stands in for AUC where that
/// is not defined because the nodes judged are all of one class.
double criterion_value(Selection selection, const Metrics& metrics);

/// As the parameter `selection` has it: "accuracy", "auc". The other way round, an InputError for other
/// texts.
std::string selection_name(Selection selection);
Selection selection_named(const std::string& name);

/// "accuracy", "ROC AUC".
std::string selection_title(Selection selection);

/// The criterion that these labels allow: AUC, balanced accuracy and macro-F1 need nodes of two classes, and
/// give way to loss where there are none. `automatic` becomes accuracy.
Selection usable_selection(Selection selection, std::span<const Index> labels);

}  // namespace hwgcn
