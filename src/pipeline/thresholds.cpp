#include "pipeline/thresholds.hpp"

#include <numeric>

#include <fmt/format.h>

#include "base/fail.hpp"
#include "base/safe_text.hpp"
#include "metrics/calibration.hpp"
#include "metrics/ranking.hpp"
#include "pipeline/warnings.hpp"

namespace hwgcn {

void expect_threshold(const MeasuredLabels& labels, const AskedMethod& method) {
    const auto& [dataset, split, rule] = labels;
    if (rule.kind == ThresholdRule::Kind::none) return;
    if (dataset.classes() != 2) {
        fail_in_file(dataset.name,
                     fmt::format("`threshold={}` decides between two classes, and there {} {}; "
                                 "`class_weights=balanced` helps rare ones among several",
                                 rule.text(), dataset.classes() == 1 ? "is" : "are", dataset.classes()));
    }
    if (!rule.is_fitted() || !split.validation.empty() || std::holds_alternative<Automatic>(method)) return;
    fail_in_file(dataset.name,
                 fmt::format("`threshold={}` is fitted to validation nodes, and the split {} has none; "
                             "`split=shares:60:20` has some, and `threshold=0.3` needs none",
                             rule.text(), split.name));
}

void add_threshold_of_folds(const MeasuredLabels& data, ChosenMethod& chosen,
                            const ExecutionControl& control) {
    if (!data.threshold.is_fitted() || !chosen.choice.cross_fitted || chosen.held_out.labels.empty()) return;
    DenseMatrix probabilities = chosen.held_out.probabilities;
    apply_calibration(probabilities, chosen.choice.calibration, control);
    std::vector<Index> rows(chosen.held_out.labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    chosen.choice.threshold = fit_threshold(probabilities, chosen.held_out.labels, rows,
                                            positive_class(data.dataset, data.split), data.threshold.kind);
}

std::optional<Threshold> threshold_for(const MeasuredLabels& data, ConstMatrixView probabilities,
                                       const std::optional<Choice>& choice, std::vector<std::string>& notes) {
    const auto& [dataset, split, rule] = data;
    if (rule.kind == ThresholdRule::Kind::none) return std::nullopt;
    const Index positive = positive_class(dataset, split);
    if (!rule.is_fitted()) return Threshold{positive, rule.number};
    const std::optional<double> found =
        split.validation.empty()
            ? (choice ? choice->threshold : std::nullopt)
            : fit_threshold(probabilities, dataset.labels, split.validation, positive, rule.kind);
    if (!found) {
        notes.push_back(fmt::format(
            "`threshold={}` needs held-out nodes of both classes, and there are none; '{}' is predicted from "
            "a probability of 1/2 on",
            rule.text(), safe_text(dataset.class_names[positive])));
    }
    return Threshold{positive, found.value_or(0.5)};
}

}  // namespace hwgcn
