#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How one class was met.
struct ClassMetrics {
    Index support = 0;  ///< nodes of the class among those judged
    double precision = 0;
    double recall = 0;
    double f1 = 0;
};

/// One bar of a reliability diagram: predictions with a confidence in (lower, upper].
struct ReliabilityBin {
    double lower = 0;
    double upper = 0;
    Index count = 0;
    double mean_confidence = 0;
    double accuracy = 0;
};

struct CurvePoint {
    double x = 0;
    double y = 0;
};

/// How a class is told from all others, by every threshold that its probability can be compared with.
struct RankingCurve {
    Index label = 0;  ///< the class
    double roc_auc = 0;
    double average_precision = 0;
    std::vector<CurvePoint> roc;  ///< shares of the negatives and of the positives, from (0, 0) to (1, 1)
    std::vector<CurvePoint> precision_recall;  ///< recall and precision; recall grows up to 1
};

/// Predictions judged at some nodes. Shares, not percent. Each of the numbers has its line in all_metrics(),
/// by which it is written, read and shown. What a file of an earlier version does not have is not known.
struct Metrics {
    static constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

    Index count = 0;
    double accuracy = 0;
    double macro_f1 = 0;  ///< mean of the classes' F1 over the classes that occur among labels or predictions
    double nll = 0;       ///< mean of -log p(label); finite: p is at least the smallest positive float
    double ece = 0;       ///< expected calibration error over the bins below

    /// How well probabilities rank the nodes, whatever the threshold: of two classes, those of `positive`;
    /// of more, the mean over the classes, each against the others. Counts classes that some of the judged
    /// nodes have and others have not; NaN where there are none.
    double roc_auc = not_known;
    double average_precision = not_known;
    double balanced_accuracy = not_known;  ///< mean recall of the classes that occur among the labels
    double mcc = not_known;  ///< correlation of labels and predictions, in -1..1; 0 where either is constant
    Index positive = -1;     ///< of two classes, the one that average precision is about

    std::vector<ClassMetrics> classes;
    std::vector<std::vector<Index>> confusion;  ///< [label][prediction]
    std::vector<ReliabilityBin> reliability;
    std::vector<RankingCurve> curves;  ///< of `positive`, or of each class that counts; none of many classes
};

/// What curves are kept: of so many classes, of so many points.
inline constexpr Index most_ranking_curves = 8;
inline constexpr std::size_t most_curve_points = 200;

struct MetricsOptions {
    int reliability_bins = 15;

    /// Of two classes, the one looked for: rarer_class of the labels that were known in training. -1: that of
    /// the nodes judged.
    Index positive = -1;

    Decision decision = {};  ///< how probabilities become the class that counts as predicted
};

/// `probabilities` has a row for every node of the graph, `labels` too; judged at `nodes`, all of them
/// labelled (InputError names one that is not, or that has no probabilities). The predicted class is the most
/// probable one, the first of equals, or what the options decide for. Without nodes, all numbers are zero,
/// those of rankings NaN.
Metrics compute_metrics(ConstMatrixView probabilities, std::span<const Index> labels,
                        std::span<const Index> nodes, int reliability_bins = 15);

/// The same, and throws Interrupted where a stop is wanted: many nodes and classes take a while.
Metrics compute_metrics(ConstMatrixView probabilities, std::span<const Index> labels,
                        std::span<const Index> nodes, const ExecutionControl& control,
                        const MetricsOptions& options = {});

/// How many of the nodes are of each class: of those judged, or of those given, all of them labelled.
std::vector<Index> class_support(const Metrics& metrics);
std::vector<Index> class_support(std::span<const Index> labels, std::span<const Index> nodes, Index classes);

/// What always answering the same gets right.
struct CommonestClass {
    Index label = -1;  ///< -1: there are no classes
    Index nodes = 0;   ///< judged ones that are of it
};

/// The class that most of the training nodes have; of several, as in a split with as many of each, the one
/// that does best, lest anything look better against it than it is. By the support of each class.
CommonestClass commonest_class(std::span<const Index> training, std::span<const Index> judged);

/// Whether ROC AUC and balanced accuracy should be shown, because accuracy alone says too little: there are
/// two classes, or one has less than a quarter of its equal share of the labels. Classes without any do not
/// count as rare.
bool shows_ranking(std::span<const Index> labels_of_class);

/// One of the numbers of `Metrics`: &Metrics::roc_auc.
using Metric = double Metrics::*;

/// All that files, tables and options know of a metric.
struct MetricInfo {
    Metric metric;
    std::string key;             ///< in JSON and Python: "roc_auc"
    std::string title;           ///< "ROC AUC"
    std::string option;          ///< on the command line: "auc"; empty where less is better
    bool more_is_better = true;  ///< methods can be compared by it
    bool in_percent = true;      ///< is shown so, as a share
    double least = 0;            ///< that it can be; a share is 1 at most

    double unit() const { return in_percent ? 100.0 : 1.0; }
    double shown(const Metrics& metrics) const { return unit() * metrics.*metric; }
};

/// In the order in which they are written.
const std::vector<MetricInfo>& all_metrics();

const MetricInfo& metric_info(Metric metric);

/// What every file knows of metrics: their numbers, without classes, confusion, reliability and curves.
Metrics numbers_of(const Metrics& metrics);

/// Which epoch's parameters are the result: the first one with the best value on the validation nodes; by
/// AUC, the one with the lowest loss of those within its standard error. `automatic` is AUC for two classes
/// one of which is rare, and accuracy for all others; where it is not decided, it is accuracy.
enum class Selection { automatic, accuracy, loss, auc, balanced, macro_f1 };

/// What an epoch looked like.
struct EpochRecord {
    int epoch = 0;  ///< from 1
    double rate = 0;
    double train_loss = 0;       ///< cross-entropy on the training nodes, with dropout, before the step
    double validation_loss = 0;  ///< after the step, without dropout; NaN where there are no validation nodes
    double validation_accuracy = 0;
    /// What another criterion than accuracy and loss says; NaN where one of these selects the epoch.
    double validation_selection = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace hwgcn
