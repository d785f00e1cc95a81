#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/methods/method_info.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/models/prepared_graph.hpp"

namespace hwgcn {

/// A method after training.
struct TrainedModel {
    std::vector<TrainableMatrix> parameters;  ///< of the selected epoch
    std::vector<EpochRecord> history;         ///< one per epoch; empty for classic methods, which have none
    int best_epoch = 0;                       ///< the selected one, counted from 1
    /// What the other rule of selection (loss, or accuracy in place of loss) would have taken.
    std::vector<TrainableMatrix> alternative_parameters;
    int alternative_epoch = 0;
    std::vector<double> class_weights = {};  ///< that its loss had, mean 1; empty: all classes count the same
    std::string summary;                     ///< how it went, in a sentence
    int resumed_after = 0;                   ///< epochs that were found in the checkpoint
    std::vector<std::string> notes;          ///< a damaged checkpoint, for example
};

/// Where training is put down on its way, so that it can go on after an interruption.
struct Checkpoints {
    std::filesystem::path file;  ///< empty: nowhere
    bool resume = false;         ///< go on from what is there; what is damaged counts as missing
    int epochs = 50;             ///< put down after so many epochs and
    double seconds = 5;          ///< so many seconds, whichever comes later
    bool written = true;         ///< false: another, who trains the same, puts it down
    std::string of = {};         ///< names all that the training depends on; of another name is as damaged
};

/// Throws InputError, naming what is missing, unless the method can be trained on the data.
void check_trainable(const PreparedGraph& graph, const MethodSettings& settings, const Split& split);

/// Throws InputError unless a trained method can predict nodes that were added to its graph.
void check_takes_new_nodes(const PreparedGraph& graph, const MethodSettings& settings);

/// What a method learns without labels (the vectors of DeepWalk): the same for all trainings of one seed.
struct Groundwork;

/// It, of a method that has some, and nothing of others. Throws Diverged, naming the method.
std::shared_ptr<const Groundwork> lay_groundwork(const PreparedGraph& graph, const Propagation& propagation,
                                                 const MethodSettings& settings, std::uint64_t seed,
                                                 const ExecutionControl& control);

/// Trains a method on one split. Only training labels reach the gradients, only validation labels the choice
/// of the epoch. When interrupted, it leaves a checkpoint. The model is the same whether it was or not.
/// `groundwork` spares what was laid before with the same seed, and changes nothing. Throws Diverged, naming
/// method and epoch, rather than return a model with numbers that are not finite.
TrainedModel train(const PreparedGraph& graph, const Propagation& propagation, const MethodSettings& settings,
                   const Split& split, std::uint64_t seed, const ExecutionControl& control,
                   const Checkpoints& checkpoints = {}, const Groundwork* groundwork = nullptr);

/// The names and sizes of the matrices that a method learns on a graph.
std::vector<TrainableMatrix> empty_parameters(const PreparedGraph& graph, const MethodSettings& settings);

/// Behind these, what a network keeps of the graph that it was trained on, such as the means of batch
/// normalisation over all nodes: with them, other nodes change nothing. None for most methods.
std::vector<TrainableMatrix> empty_statistics(const PreparedGraph& graph, const MethodSettings& settings);

/// Whether these are missing, as in models that were saved by earlier versions.
bool lacks_statistics(const PreparedGraph& graph, const MethodSettings& settings,
                      std::span<const TrainableMatrix> parameters);

/// Puts them there where they are missing; `graph` is that of the training. `train` does it.
void add_statistics(const PreparedGraph& graph, const Propagation& propagation,
                    const MethodSettings& settings, std::vector<TrainableMatrix>& parameters,
                    const ExecutionControl& control);

/// Class probabilities of all nodes, one row each, as the network says them: `calibrate` makes of them those
/// that are shown. Throws ExecutionError where they are not finite.
DenseMatrix predict_nodes(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                          const ExecutionControl& control);

/// The same by a method that was just trained, without its class weights: throws Diverged, naming the epoch.
DenseMatrix predict_nodes(const PreparedGraph& graph, const Propagation& propagation,
                          const MethodSettings& settings, const TrainedModel& model,
                          const ExecutionControl& control);

/// The accuracy on the test nodes, had the epoch been selected by the other rule; nothing for methods without
/// epochs. `test_accuracy` is that of the epoch that was selected; classes are decided for in the same way,
/// at the same temperature.
std::optional<double> alternative_test_accuracy(const PreparedGraph& graph, const Propagation& propagation,
                                                const MethodSettings& settings, const TrainedModel& model,
                                                const Split& split, double test_accuracy,
                                                const ExecutionControl& control,
                                                const Decision& decision = {}, double temperature = 1);

}  // namespace hwgcn
