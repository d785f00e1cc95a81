#include "choice/fold_calibration.hpp"

#include <algorithm>
#include <numeric>

#include "metrics/calibration.hpp"

namespace hwgcn {

Metrics calibrated_by_other_folds(const DenseMatrix& probabilities, const std::vector<Index>& labels,
                                  const std::vector<Index>& first, const ExecutionControl& control,
                                  const Decision& decision) {
    DenseMatrix calibrated = probabilities;
    std::vector<Index> all(labels.size());
    std::iota(all.begin(), all.end(), Index{0});
    for (std::size_t fold = 0; fold + 1 < first.size(); ++fold) {
        std::vector<Index> others;
        std::ranges::copy_if(all, std::back_inserter(others),
                             [&](Index row) { return row < first[fold] || row >= first[fold + 1]; });
        const Calibration found = fit_calibration(probabilities, labels, others, control);
        DenseMatrix own(first[fold + 1] - first[fold], probabilities.columns());
        for (Index row = 0; row < own.rows(); ++row)
            std::copy_n(probabilities.row(first[fold] + row), own.columns(), own.row(row));
        apply_calibration(own, found, control);
        for (Index row = 0; row < own.rows(); ++row)
            std::copy_n(own.row(row), own.columns(), calibrated.row(first[fold] + row));
    }
    return compute_metrics(calibrated, labels, all, control, {.decision = decision});
}

}  // namespace hwgcn
