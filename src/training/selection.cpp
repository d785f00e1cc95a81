#include "training/selection.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"

namespace hwgcn {

double criterion_value(Selection selection, const Metrics& metrics) {
    switch (selection) {
        case Selection::automatic:
        case Selection::accuracy:
            return metrics.accuracy;
        case Selection::auc:
            return std::isnan(metrics.roc_auc) ? -metrics.nll : metrics.roc_auc;
        case Selection::balanced:
            return metrics.balanced_accuracy;
        case Selection::macro_f1:
            return metrics.macro_f1;
        case Selection::loss:
            break;
    }
    return -metrics.nll;
}

namespace {

const Parameter<FitOptions>& selection_parameter() {
    return *std::ranges::find(fit_parameters(), "selection", &Parameter<FitOptions>::name);
}

}  // namespace

std::string selection_name(Selection selection) {
    FitOptions options;
    options.selection = selection;
    return selection_parameter().get(options);
}

Selection selection_named(const std::string& name) {
    FitOptions options;
    if (!selection_parameter().set(options, name))
        throw InputError(
            fmt::format("selection: expected {}, got '{}'", selection_parameter().expected, name));
    return options.selection;
}

std::string selection_title(Selection selection) {
    switch (selection) {
        case Selection::automatic:
        case Selection::accuracy:
            return "accuracy";
        case Selection::auc:
            return "ROC AUC";
        case Selection::balanced:
            return "balanced accuracy";
        case Selection::macro_f1:
            return "macro-F1";
        case Selection::loss:
            break;
    }
    return "loss";
}

Selection usable_selection(Selection selection, std::span<const Index> labels) {
    if (selection == Selection::automatic) return Selection::accuracy;
    if (selection == Selection::accuracy || labels.empty()) return selection;
    const bool two = std::ranges::any_of(labels, [&](Index label) { return label != labels.front(); });
    return two ? selection : Selection::loss;
}

}  // namespace hwgcn
