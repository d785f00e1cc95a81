#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/models/selection.hpp"
#include "hwgcn/models/train.hpp"
#include "hwgcn/pipeline/run_result.hpp"

namespace hwgcn {

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
};

/// choose -> operator -> train -> predict -> calibrate -> measure, for candidates that are feasible already.
/// Only training labels reach the gradients; validation labels choose the method and the epoch and fit the
/// temperature and the threshold; test labels are only measured by. `selection=auto` is resolved first.
TrainedRun train_feasible(const TrainingTask& task, const ExecutionControl& control);

/// The same from the start: voices doubts about the data and leaves out candidates that are not feasible.
TrainedRun train_run(TrainingTask task, const ExecutionControl& control);

/// A sentence where the features, normalised rows, hardly tell the nodes apart.
std::vector<std::string> warnings_about_features(const CsrMatrix<float>& features);

/// What may be wrong with features, labels and graph, in a sentence each. Test labels are not looked at.
std::vector<std::string> warnings_about_data(const PreparedGraph& graph, const Split& split,
                                             const ExecutionControl& control);

/// A sentence where features give the labels away, so that one may doubt that they are known before these: a
/// column that ranks the nodes of a class above (or below) nearly all others, or else a logistic regression
/// on the features that does on labels it has not seen. It names the columns. Looks at training and
/// validation labels only, and says nothing of few.
std::vector<std::string> columns_that_tell(const PreparedGraph& graph, const Split& split,
                                           const ExecutionControl& control);

/// Which of the methods leave out the weights or the directions that the edges have, in a sentence each.
std::vector<std::string> unused_of_edges(const PreparedGraph& graph, std::span<const AskedMethod> methods);

/// Throws InputError, naming what to do, where a threshold is asked for that the data do not allow: with
/// other than two classes, or a fitted one without validation nodes or an automatic choice's held-out nodes.
void expect_threshold(const MeasuredLabels& labels, const AskedMethod& method);

/// How many nodes a run predicts as each class.
std::vector<std::int64_t> predicted_counts(const TrainedRun& run);

/// What makes a result less than it looks, in a sentence each: classes that are hardly ever predicted, and
/// results that the commonest class alone would have. With the options that may help. `predicted` counts all
/// nodes of the dataset, whoever has them.
std::vector<std::string> warnings_about_result(const Dataset& dataset, const Split& split,
                                               const TrainedRun& run,
                                               const std::vector<std::int64_t>& predicted);

/// Whether it is neither a benchmark with a published split nor built-in.
bool is_own_data(const Dataset& dataset);

/// The split to use where none was given. Of own data few labels all train, for all methods; of many, most
/// do. Benchmarks get `default_split`, but for an automatic choice that of own data where none is published.
std::string default_split_for(const Dataset& dataset, const AskedMethod& method);

/// The same for repeated runs, which are compared by test nodes: those of own data train by shares.
std::string default_repeated_split(const Dataset& dataset);

}  // namespace hwgcn
