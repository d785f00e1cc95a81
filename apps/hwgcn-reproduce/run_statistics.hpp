#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"

namespace hwgcn::experiments {

/// Accuracies (percent) of two methods in the runs that both have, pair by pair.
struct SharedRuns {
    std::vector<double> ours;
    std::vector<double> other;
};
SharedRuns shared_runs(const MethodResult& result, const MethodResult& other);

/// The median of the seconds of a run: one that had more threads than the others does not count. Nothing
/// without runs.
std::optional<double> usual_seconds(const MethodResult& result);

/// The least peak of the processes that did the runs: what a process needs for the graph, the operator and
/// such a run, at most. Nothing where it is not known.
std::optional<double> least_peak_mb(const MethodResult& result);

/// The difference of two means of independent runs, and half the width of its 95 % interval (Welch); nothing
/// where one of them has fewer than two runs.
struct MeanDifference {
    double difference = 0;  ///< a - b
    double ci95 = 0;
};
std::optional<MeanDifference> compare_means(const SampleSummary& a, const SampleSummary& b);

/// Of variants of a method, which one validation prefers in each of the runs that all have: the best
/// validation accuracy, of equal ones the lowest validation loss, then the first. `chosen` of a run is the
/// name of its variant, and its seconds are those of all variants. There is at least one.
MethodResult chosen_by_validation(const std::vector<MethodResult>& variants);

/// Which of the variants validation prefers in at least one of the `count` runs from `first_seed` on; all,
/// unless all have all of these runs.
std::vector<bool> ever_chosen(const std::vector<MethodResult>& variants, std::uint64_t first_seed, int count);

}  // namespace hwgcn::experiments
