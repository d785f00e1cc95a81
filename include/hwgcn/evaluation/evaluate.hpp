#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/metrics/statistics.hpp"
#include "hwgcn/models/prepared_graph.hpp"
#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

class RunJournal;

struct EvaluationOptions {
    std::string split;  ///< as make_split reads it
    int runs = 10;
    std::uint64_t first_seed = 0;        ///< run r draws its split and its parameters with first_seed + r
    std::string task = "training";       ///< what the progress display calls it
    ThresholdRule threshold = {};        ///< see TrainingTask
    Metric metric = &Metrics::accuracy;  ///< what methods are compared by
    bool finished_only = false;          ///< trains nothing: results hold the runs that the journal has
};

/// A method over all runs; metrics are those of the test nodes, as they are shown (MetricInfo).
struct MethodResult {
    AskedMethod method;           ///< with the `selection` of the first split
    std::vector<RunResult> runs;  ///< their numbers, by seed; with `finished_only` some or all may be missing
    /// Against the first method; nothing for the first one, and where a run of either is missing or does not
    /// know the metric.
    std::optional<PairedComparison> paired = {};
    int reused = 0;                      ///< runs found in the journal
    Metric metric = &Metrics::accuracy;  ///< what `paired` compares

    /// Of each run; NaN where it is not known.
    std::vector<double> values(Metric which) const;

    /// Nothing where it is not known of all runs.
    std::optional<SampleSummary> summary(Metric which) const;

    SampleSummary accuracy() const;

    /// Mean accuracy, had the epochs been selected by the other rule; nothing where that is not known.
    std::optional<double> alternative_accuracy() const;

    /// How often an automatic method chose what, the most frequent first; empty for others.
    std::vector<std::pair<std::string, int>> choices() const;

    /// What the first run with something to say said, and how many others had something to say; why a metric
    /// is not known.
    std::vector<std::string> notes() const;
};

/// What methods are compared by where nobody says it: accuracy, and ROC AUC where there are two classes one
/// of which is rare.
Metric default_metric(const Dataset& dataset, const EvaluationOptions& options);

/// Runs every method on the same splits with the same seeds, several runs at a time; the numbers do not
/// depend on how many. With a journal, runs found there are not repeated and new ones are written down as
/// soon as they are finished: one run of every method, then the next, so that what was interrupted can be
/// compared. Methods that a device trains side by side come first, one after the other, batch by batch.
std::vector<MethodResult> evaluate(const PreparedGraph& graph, OperatorPool& operators,
                                   const std::vector<AskedMethod>& methods, const EvaluationOptions& options,
                                   const ExecutionControl& control, RunJournal* journal = nullptr);

}  // namespace hwgcn
