#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/metrics/statistics.hpp"
#include "hwgcn/models/members.hpp"
#include "hwgcn/models/train.hpp"

namespace hwgcn {

/// A candidate, and how it did on labelled nodes that it had not learned from.
struct TriedMethod {
    std::string label;  ///< as method_label has it
    std::string method;
    int order = 1;
    Metrics held_out = {};
    double behind = 0;          ///< by how much the best candidate's criterion is better
    double behind_error = 0;    ///< standard error of that difference, paired by node
    int epochs = 0;             ///< of its trainings; 0 for methods without epochs
    bool dropped = false;       ///< before the end: it was clearly behind, or the budget was for better ones
    double calibrated_nll = 0;  ///< log loss on the held-out nodes, with a temperature fitted to them
    double loss_behind = 0;     ///< by how much the smallest of these among equals is smaller
    double loss_behind_error = 0;  ///< standard error of that difference, paired by node
    MemberShare share = {0, 1};    ///< in the average that was taken; the weight 0: it has no part in one
};

/// How the average of several candidates did on the nodes that they are judged on.
struct TakenAverage {
    Metrics held_out = {};
    double gain = 0;            ///< by how much its criterion is better than that of the best candidate
    double gain_error = 0;      ///< standard error of that difference, paired by node
    double calibrated_nll = 0;  ///< log loss, with a temperature fitted to these nodes
};

/// What an automatic method chose, and why.
struct Choice {
    std::size_t chosen = 0;                     ///< among those tried
    std::size_t best = 0;                       ///< of those that finished, by log loss among equals
    Selection selection = Selection::accuracy;  ///< what they are compared by
    bool loss_decides = false;       ///< among equals the smallest log loss, not the order of preference
    double equal_within = 1;         ///< standard errors that a candidate may be behind and count as equal
    std::vector<TriedMethod> tried;  ///< preferred ones first; empty where there was nothing to compare by
    std::string judged_on;           ///< "500 validation nodes"
    std::string reason;              ///< a paragraph
    bool cross_fitted = false;       ///< whether the held-out nodes were training nodes in turn
    Calibration calibration = {};    ///< that fits the chosen one's held-out probabilities best
    /// With cross-fitting: how the chosen one did once calibrated, a fold by what fits the other folds.
    std::optional<Metrics> calibrated = {};
    /// Of other nodes, with 95 % confidence: it accounts for having been chosen by the held-out ones.
    std::optional<ShareInterval> expected_accuracy = {};
    std::optional<double> threshold = {};  ///< where one was asked for: the best on the held-out nodes
    /// Where an average was taken in place of one candidate: `chosen` is then the best of them, with which it
    /// began, and those tried have their weights in it.
    std::optional<TakenAverage> average = {};
};

/// What a method says of nodes that it had not learned from, one row each.
struct HeldOut {
    DenseMatrix probabilities;
    std::vector<Index> labels;
};

struct ChosenMethod {
    MethodSettings settings;
    Choice choice;
    /// Where the chosen candidate has learned from all training nodes already: what `train` would give.
    std::optional<TrainedModel> model = {};
    std::vector<std::string> notes = {};                ///< candidates that diverged and were left out
    std::shared_ptr<const Groundwork> groundwork = {};  ///< of the chosen one, for the training that follows
    HeldOut held_out = {};                              ///< the chosen one's, not calibrated
    MemberShare share = {};                             ///< of the chosen one, where it is averaged
    std::vector<Member> others = {};                    ///< that it is averaged with, trained
};

/// How a choice is watched, and where it is kept so that an interrupted one goes on.
struct ChoiceRecord {
    std::filesystem::path folder = {};                       ///< empty: it is not kept
    std::function<void(const std::string& line)> tell = {};  ///< a line per candidate, as soon as it is known
    /// Asked when the choice was stopped: whether to take the best candidate so far, rather than throw
    /// Interrupted. The stop has to be over then.
    std::function<bool()> takes_best_so_far = {};
};

/// Tries all candidates on the validation nodes or, where there are none, by cross-fitting: the training
/// nodes are dealt into folds, and each fold is predicted by a model that learned from the others. Of those
/// that are not clearly worse than the best (by more than the standard error of the paired difference; half
/// of it where neighbors differ and labels are many), one is chosen: with few labels and many validation
/// nodes that of the smallest calibrated log loss, else the preferred one. Candidates that are clearly behind
/// after a share of their epochs, and those that the limits of work and memory do not allow, are dropped
/// before. With many labels and several hundred validation nodes, an average of the best candidates takes the
/// place of the chosen one where it is better (take_average). Test labels are never looked at. Candidates
/// that diverge are left out; where all do, so does the choice (Diverged).
ChosenMethod choose_method(const PreparedGraph& graph, OperatorPool& operators, const Automatic& automatic,
                           const Split& split, std::uint64_t seed, const ExecutionControl& control,
                           const ChoiceRecord& record = {});

}  // namespace hwgcn
