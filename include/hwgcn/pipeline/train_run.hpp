#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/models/train.hpp"

namespace hwgcn {

/// One of the two sanity checks beside a result: label propagation has only the graph, the linear
/// classifier only the features. Whatever uses both should beat both.
struct Baseline {
    std::string method;
    Metrics validation = {};
    Metrics test = {};
};

/// What a training is measured as, wherever it is kept or shown. Shares, not percent. A file has the numbers
/// of the metrics (numbers_of); a journal those of the test nodes and two of the validation nodes.
struct RunResult {
    std::uint64_t seed = 0;  ///< of its split and its parameters
    Metrics train = {};
    Metrics validation = {};  ///< at the selected epoch
    Metrics test = {};
    double raw_ece = 0;  ///< on the test nodes, without calibration
    int epochs = 0;      ///< 0 for methods without epochs, and so those below
    int best_epoch = 0;
    int alternative_epoch = 0;                        ///< by the other rule of selection
    std::optional<double> alternative_accuracy = {};  ///< on the test nodes then
    double seconds = 0;                    ///< of wall time, on the threads it had; without the operator
    std::optional<double> peak_mb = {};    ///< of the process so far; nothing where it is not known
    std::string chosen = {};               ///< what an automatic method chose; empty for others
    std::vector<Baseline> baselines = {};  ///< on the same split; empty where they were not wanted
    std::vector<std::string> notes = {};   ///< what the user should know; files do not have them
    std::vector<Metric> unknown = {};      ///< of the test nodes, in a journal of an earlier version

    /// False where the test nodes were measured by a version that did not know the metric.
    bool has(Metric metric) const { return std::ranges::find(unknown, metric) == unknown.end(); }

    /// By the names that files have for the lists of a split.
    std::array<std::pair<const char*, const Metrics*>, 3> parts() const {
        return {{{"train", &train}, {"validation", &validation}, {"test", &test}}};
    }
};

/// Without what only a single run shows.
RunResult numbers_of(RunResult result);

/// The nodes that a run is judged by: those of the test; without any, of validation; without these, the
/// labels that an automatic choice held out.
struct Judged {
    const Metrics* metrics = nullptr;  ///< null: there are none
    const char* nodes = "";            ///< "test nodes"
};
Judged judged_by(const RunResult& result, const std::optional<Choice>& choice);

/// The labels that a run is measured by, and how they are decided for.
struct MeasuredLabels {
    const Dataset& dataset;
    const Split& split;
    ThresholdRule threshold = {};  ///< from which probability on a node is of the rarer of two classes
};

/// The parts of a training that were done before.
struct EarlierTraining {
    std::optional<ChosenMethod> chosen = {};  ///< by a training that was interrupted
    /// Side by side with the models of other runs.
    std::optional<TrainedModel> model = {};
    double seconds = 0;  ///< that the model took
};

/// How a training is watched and kept.
struct TrainingRecord {
    ChoiceRecord choice = {};  ///< of an automatic choice

    /// Called when it is clear what will be trained, before it is: says where checkpoints go.
    std::function<Checkpoints(const MethodSettings& settings, const std::optional<Choice>& choice)> begin =
        {};

    /// Called with each note as soon as it is known; all of them are in the result, too.
    std::function<void(const std::string& note)> notice = {};
};

/// A training as it is asked for.
struct TrainingTask {
    const PreparedGraph& graph;
    OperatorPool& operators;
    AskedMethod method;
    const Split& split;
    std::uint64_t seed = 0;
    ThresholdRule threshold = {};
    EarlierTraining earlier = {};
    TrainingRecord record = {};

    MeasuredLabels labels() const { return {graph.dataset, split, threshold}; }
};

/// A method trained, calibrated and measured. The one way there is `train_run`, for the command line and
/// Python, and its second half, `train_feasible`, for repeated runs.
struct TrainedRun {
    MethodSettings settings;
    std::optional<Choice> choice;  ///< where they were chosen automatically
    TrainedModel model;
    DenseMatrix probabilities;     ///< of all nodes, calibrated
    double temperature = 1;        ///< that calibrated them, by the choice's held-out nodes or by validation
    Decision decision = {};        ///< how they become classes
    ThresholdRule threshold = {};  ///< as it was asked for
    RunResult result = {};         ///< its notes: see TrainingRecord::notice
    MemberShare share = {};        ///< of `model`, where it is averaged with others
    /// The others: the probabilities are the mean of them all (MemberMean). History and epochs are those of
    /// `model`.
    std::vector<Member> others = {};
};

/// The methods that a run predicts with: the one of `model` first.
std::vector<Member> members_of(const TrainedRun& run);

/// warnings about the data -> feasible candidates -> choose -> operator -> train -> predict -> calibrate ->
/// measure. Only training labels reach the gradients; validation labels choose the method and the epoch and
/// fit the temperature and the threshold; test labels are only measured by. `selection=auto` is resolved
/// first.
TrainedRun train_run(TrainingTask task, const ExecutionControl& control);

/// The split to use where none was given. Of own data few labels all train, for all methods; of many, most
/// do. Benchmarks get `default_split`, but for an automatic choice that of own data where none is published.
std::string default_split_for(const Dataset& dataset, const AskedMethod& method);

/// The same for repeated runs, which are compared by test nodes: those of own data train by shares.
std::string default_repeated_split(const Dataset& dataset);

}  // namespace hwgcn
