#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "methods/network.hpp"
#include "operators/propagation.hpp"
#include "operators/receptive_field.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

/// Nodes to learn from or to judge by: the field that computes them, and their labels in the order of its
/// outputs.
struct LabelledField {
    ReceptiveField field;
    std::vector<Index> labels;
    std::vector<Index> rows;        ///< which outputs they are where the field has others, too
    bool among_others = false;      ///< whether the field has other outputs, too
    std::vector<Index> nodes = {};  ///< of the labels, where nodes fall into blocks; else empty
    std::int64_t total = 0;         ///< labels, those elsewhere too
    std::vector<float> weights =
        {};  ///< what each label counts in the loss, 1 on average; empty: all the same
    std::vector<Index> taught_rows = {};  ///< outputs that a teacher labelled
    std::vector<Index> taught_labels = {};
};

enum class Extent {
    as_needed,  ///< what the labelled nodes need, or all nodes where the network does
    all_nodes,
};

/// The field of `nodes` under a network, with their labels. No other label is looked at.
LabelledField labelled_field(const Network& network, const Propagation& propagation,
                             const std::shared_ptr<const CsrMatrix<float>>& features,
                             std::span<const Index> nodes, std::span<const Index> labels,
                             Extent extent = Extent::as_needed);

/// The same with what training passes read besides.
LabelledField training_field(const Network& network, const Propagation& propagation,
                             const std::shared_ptr<const CsrMatrix<float>>& features,
                             std::span<const Index> nodes, std::span<const Index> labels,
                             Extent extent = Extent::as_needed, const ExecutionControl& control = {});

/// Training between two epochs: all that is needed to go on as if nothing had happened.
struct FitState {
    std::uint64_t seed = 0;
    int epoch = 0;  ///< epochs done
    bool finished = false;
    bool diverged = false;  ///< finished without a result
    std::vector<TrainableMatrix> current;
    std::vector<DenseMatrix> mean;  ///< Adam's averages, one per parameter
    std::vector<DenseMatrix> square;
    std::vector<TrainableMatrix>
        best;  ///< of the selected epoch; the last one where there are no validation nodes
    int best_epoch = 0;
    /// What the other rule of selection would have taken: loss, or accuracy in place of loss.
    std::vector<TrainableMatrix> alternative;
    int alternative_epoch = 0;
    double best_accuracy = -1;  ///< on the validation nodes, over all epochs
    double best_loss = std::numeric_limits<double>::infinity();
    double best_criterion = -std::numeric_limits<double>::infinity();  ///< where it is neither of these
    int epochs_without_better = 0;
    std::vector<EpochRecord> history;
    /// A teacher: its probabilities of all nodes, averaged over the epochs so far (the last ones count most),
    /// and this average at the selected epoch. Empty for all others.
    DenseMatrix average;
    DenseMatrix best_average;
    /// A student: the class of each node that its teacher labelled, `unlabelled` for the others. Empty for
    /// all others.
    std::vector<Index> taught;

    bool is_teacher() const { return average.rows() > 0; }
};

FitState start_fit(const Network& network, std::uint64_t seed);

/// The same for a teacher of a graph with so many nodes and classes: its validation field needs all nodes.
FitState start_teacher(const Network& network, std::uint64_t seed, Index nodes, Index classes);

/// Trains on, for at most `epochs` epochs or until it is finished. `validation` may be empty; with weights,
/// its loss is weighted as that of the training nodes is. The first epoch with the best value of the
/// criterion is selected; by AUC, the one with the lowest loss of those within a standard error of the best.
/// Where it does not allow the criterion of the options (see usable_selection), loss selects the epoch.
/// Throws Diverged where loss or parameters are not finite any more, and Interrupted (between two epochs,
/// with a state that can be continued). With a device, the epochs are computed there; the state comes back
/// when they are done or interrupted, and is as before where the device fails.
void continue_fit(FitState& state, const Network& network, const LabelledField& train,
                  const LabelledField& validation, const FitOptions& options, const ExecutionControl& control,
                  int epochs = std::numeric_limits<int>::max(), gpu::Device* device = nullptr);

/// Whether several runs of a network can be trained side by side on a device: not where they differ in more
/// than their labels, first parameters and masks of dropout.
bool can_train_side_by_side(const Network& network, const FitOptions& options);

/// Trains several runs side by side on a device, to the end: each has the bits that continue_fit gives it
/// there alone, with the same fields. These differ in their labels and the rows of them alone, of which all
/// have as many; the field itself is that of the first. A run that is finished before others keeps its
/// selected parameters, while those of its last epoch are overwritten. Where one diverges, the others go on;
/// Diverged is thrown in the end, naming its seed.
void continue_side_by_side(std::span<FitState* const> states, const Network& network,
                           std::span<const LabelledField> train, std::span<const LabelledField> validation,
                           const FitOptions& options, const ExecutionControl& control, gpu::Device& device);

/// The whole training.
FitState fit(const Network& network, const LabelledField& train, const LabelledField& validation,
             const FitOptions& options, std::uint64_t seed, const ExecutionControl& control);

/// What a trained network finds over all nodes of the graph that it was trained on (Network::statistics).
std::vector<TrainableMatrix> statistics_of(const Network& network,
                                           std::span<const TrainableMatrix> parameters,
                                           const ReceptiveField& whole_field,
                                           const ExecutionControl& control);

/// Class probabilities at the outputs of `field`, one row each, without dropout.
DenseMatrix predict(const Network& network, std::span<const TrainableMatrix> parameters,
                    const ReceptiveField& field, const ExecutionControl& control);

}  // namespace hwgcn
