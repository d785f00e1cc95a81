#pragma once

#include <cstdint>
#include <span>

namespace hwgcn {

/// Repeated measurements in short.
struct SampleSummary {
    int count = 0;
    double mean = 0;
    double std = 0;   ///< with count - 1; 0 for a single one
    double ci95 = 0;  ///< half the width of the 95 % confidence interval of the mean; 0 for a single one
};

/// The values are finite (InputError); all zero where there are none.
SampleSummary summarize(std::span<const double> values);

/// Between which shares the true one lies with 95 % confidence, when `share` of `count` trials succeeded
/// (Wilson 1927); 0 and 1 without a trial.
struct ShareInterval {
    double low = 0;
    double high = 1;
};
ShareInterval share_interval(double share, std::int64_t count);

/// The standard error of a ROC AUC over nodes of which so many are of each class (Hanley and McNeil 1982). Of
/// more than two classes the AUC is the mean over those that are told from the others. 0 without two classes.
double roc_auc_error(double auc, std::span<const std::int64_t> class_counts);

/// The upper end of its 95 % interval, not less wide than that of a ranking by chance.
double roc_auc_upper(double auc, std::span<const std::int64_t> class_counts);

/// Two methods on the same runs: Student's paired t test and Wilcoxon's signed-rank test, both two-sided.
struct PairedComparison {
    double mean_difference = 0;  ///< values - reference
    double ci95 = 0;             ///< half the width of its 95 % confidence interval (Student's t)

    /// 1 where there is one run or all differences are zero, 0 where all are the same other number.
    double p_value = 1;

    /// Without the zero differences; exact up to 25 others, ties included, else normal with corrections for
    /// ties and continuity.
    double wilcoxon_p_value = 1;
};

/// The two have the same length, at least 1, and finite values (InputError).
PairedComparison compare_paired(std::span<const double> values, std::span<const double> reference);

/// P(|T| > |t|) for Student's t with `degrees` degrees of freedom, at least 1. The relative error is about
/// 1e-15, growing to degrees * 1e-16 for many of them.
double student_two_sided(double t, double degrees);

/// The t with P(|T| <= t) = `confidence`, a number in [0, 1).
double student_quantile(double confidence, double degrees);

}  // namespace hwgcn
