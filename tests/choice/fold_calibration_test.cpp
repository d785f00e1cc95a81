#include "choice/fold_calibration.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "metrics/calibration.hpp"

namespace hwgcn::fold_calibration_test {
namespace {

// Predictions of two classes that are surer than they may be: `sure` where seven of ten are right.
struct Overconfident {
    DenseMatrix probabilities;
    std::vector<Index> labels;
    std::vector<Index> first = {0, 40, 80, 100};
    std::vector<Index> all;

    explicit Overconfident(float sure = 0.95F) : probabilities(100, 2), labels(100), all(100) {
        std::iota(all.begin(), all.end(), Index{0});
        for (Index row = 0; row < 100; ++row) {
            const Index predicted = row % 2;
            probabilities.at(row, predicted) = sure;
            probabilities.at(row, 1 - predicted) = 1.0F - sure;
            labels[row] = row % 10 < 7 ? predicted : 1 - predicted;
        }
    }

    Metrics calibrated() const { return calibrated_by_other_folds(probabilities, labels, first, {1}); }
};

TEST(FoldCalibration, TooSureBecomesAsSureAsItMayBe) {
    const Overconfident predictions;
    const Metrics raw = compute_metrics(predictions.probabilities, predictions.labels, predictions.all);
    const Metrics calibrated = predictions.calibrated();
    EXPECT_EQ(calibrated.count, 100);
    EXPECT_EQ(calibrated.accuracy, raw.accuracy) << "no prediction changes";
    EXPECT_EQ(calibrated.confusion, raw.confusion);
    EXPECT_NEAR(raw.ece, 0.25, 1e-6);
    EXPECT_LT(calibrated.ece, 0.08);
    EXPECT_LT(calibrated.nll, raw.nll);
}

TEST(FoldCalibration, AFoldHasNoSayInItsOwnTemperature) {
    const auto likelihood_of_first_fold = [](const Overconfident& predictions) {
        std::vector<Index> others(predictions.all.begin() + 40, predictions.all.end());
        DenseMatrix own = predictions.probabilities;
        apply_calibration(own, fit_calibration(predictions.probabilities, predictions.labels, others));
        return own.at(0, 0);
    };
    // With the first fold all wrong, the temperature of the first fold stays, and that of the others grows.
    Overconfident changed;
    const float before = likelihood_of_first_fold(changed);
    const double nll_before = changed.calibrated().nll;
    for (Index row = 0; row < 40; ++row)
        changed.labels[row] = 1 - row % 2;
    EXPECT_EQ(likelihood_of_first_fold(changed), before);
    const Metrics after = changed.calibrated();
    EXPECT_GT(after.nll, nll_before);
    const auto surest = std::ranges::max_element(after.reliability, {}, [](const ReliabilityBin& bin) {
        return bin.count > 0 ? bin.mean_confidence : 0.0;
    });
    EXPECT_EQ(surest->count, 40) << "those of the first fold";
    EXPECT_NEAR(surest->mean_confidence, before, 1e-6);
    EXPECT_EQ(surest->accuracy, 0);
}

}  // namespace
}  // namespace hwgcn::fold_calibration_test
